import { type Function as FunctionNode, forEachChild, type SyntaxNode } from "unbash";

/** A function that starts itself twice at once, or behind itself. */
export function isForkBomb({ name, body }: FunctionNode): boolean {
  let calls = 0;
  let behind = false;
  let budget = 500;
  const look = (node: SyntaxNode): void => {
    if (budget-- <= 0) return;
    if (node.type === "Command" && node.name?.value === name.value) calls++;
    if (node.type === "Pipeline" || (node.type === "Statement" && node.background)) behind = true;
    forEachChild(node, look);
  };
  look(body);
  return (calls >= 2 && behind) || (calls === 1 && behind && budget > 480);
}
