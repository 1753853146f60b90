/** Sources are named by machines: without the organisation in front one could write into another's chain. */
export const sourceIn = (organisation: string, source: string) => `${encodeURIComponent(organisation)}/${source}`;
