/** Nodes and what they have to do with each other, laid out on a plane. The same nodes always lie the same way. */
import type { PlacedNode } from "../../../knowledge/base/tree.ts";

export interface GraphNode {
  readonly node: PlacedNode;
  readonly x: number;
  readonly y: number;
  /** How many others it has to do with. */
  readonly degree: number;
}

export interface GraphEdge {
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly kind: "relates" | "depends";
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** How many more nodes there are than it shows. */
  readonly leftOut: number;
}

export const WIDTH = 1000;
export const HEIGHT = 540;
/** Names stand under their nodes, and are wider than they are high. */
const MARGIN = { x: 115, y: 45 };
/** More would be a thicket, and take the server's time. */
const MAX_NODES = 120;
const ROUNDS = 160;

interface Link {
  readonly from: number;
  readonly to: number;
  readonly kind: GraphEdge["kind"];
}

const drawn = new WeakMap<readonly PlacedNode[], Graph>();

/** The nodes that have most to do with others, where there are too many. Of the same list it is made once. */
export function graphOf(all: readonly PlacedNode[]): Graph {
  const graph = drawn.get(all) ?? draw(all);
  drawn.set(all, graph);
  return graph;
}

function draw(all: readonly PlacedNode[]): Graph {
  const degrees = new Map<string, number>();
  for (const { from, to } of linksAmong(all))
    for (const at of [from, to]) {
      const id = all[at]?.id ?? "";
      degrees.set(id, (degrees.get(id) ?? 0) + 1);
    }
  const degreeOf = ({ id }: PlacedNode) => degrees.get(id) ?? 0;
  const shown = all.toSorted((a, b) => degreeOf(b) - degreeOf(a) || (a.id < b.id ? -1 : 1)).slice(0, MAX_NODES);
  const links = linksAmong(shown);
  const places = fitted(settled(shown.length, links));
  const nodes = shown.map((node, at) => ({ node, degree: degreeOf(node), ...(places[at] ?? { x: 0, y: 0 }) }));
  const edges = links.flatMap(({ from, to, kind }) => {
    const [start, end] = [nodes[from], nodes[to]];
    return start && end ? [{ from: start, to: end, kind }] : [];
  });
  return { nodes, edges, leftOut: all.length - shown.length };
}

/** Nodes with what they have to do with, in either direction. */
export function around(all: readonly PlacedNode[], some: readonly PlacedNode[]): readonly PlacedNode[] {
  const own = new Set(some.map(({ id }) => id));
  const near = new Set(some.flatMap(({ relatesTo, dependsOn }) => [...relatesTo, ...dependsOn]));
  return all.filter(
    ({ id, relatesTo, dependsOn }) =>
      own.has(id) || near.has(id) || [...relatesTo, ...dependsOn].some((other) => own.has(other)),
  );
}

function linksAmong(nodes: readonly PlacedNode[]): readonly Link[] {
  const at = new Map(nodes.map(({ id }, index) => [id, index]));
  const seen = new Set<string>();
  const links: Link[] = [];
  nodes.forEach(({ dependsOn, relatesTo }, from) => {
    for (const [kind, ids] of [
      ["depends", dependsOn],
      ["relates", relatesTo],
    ] as const)
      for (const id of ids) {
        const to = at.get(id);
        const key = [from, to].sort().join(" ");
        if (to === undefined || to === from || seen.has(key)) continue;
        seen.add(key);
        links.push({ from, to, kind });
      }
  });
  return links;
}

interface Point {
  x: number;
  y: number;
}

/** Nodes push each other away, edges pull, and all are drawn to the middle, less and less from round to round. */
function settled(count: number, links: readonly Link[]): readonly Point[] {
  const reach = 1 / Math.sqrt(Math.max(1, count));
  const points = Array.from({ length: count }, (_, index) => spiral(index, count));
  for (let round = 0; round < ROUNDS; round++) {
    const heat = 0.08 * (1 - round / ROUNDS) + 0.002;
    const moves = points.map((point) => ({ x: -point.x * 0.12, y: -point.y * 0.12 }));
    for (let one = 0; one < count; one++)
      for (let other = one + 1; other < count; other++) push(points, moves, one, other, reach);
    for (const { from, to } of links) pull(points, moves, from, to, reach);
    for (const [index, point] of points.entries()) move(point, moves[index], heat);
  }
  return points;
}

/** As seeds lie in a sunflower: even, without two at one place, and without chance. */
function spiral(index: number, count: number): Point {
  const angle = index * 2.399963229728653;
  const radius = Math.sqrt((index + 0.5) / Math.max(1, count));
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
}

function push(points: readonly Point[], moves: Point[], one: number, other: number, reach: number): void {
  const [a, b, moveA, moveB] = [points[one], points[other], moves[one], moves[other]];
  if (!a || !b || !moveA || !moveB) return;
  const [dx, dy] = [a.x - b.x, a.y - b.y];
  const squared = Math.max(dx * dx + dy * dy, 1e-6);
  const force = (reach * reach) / squared;
  moveA.x += dx * force;
  moveA.y += dy * force;
  moveB.x -= dx * force;
  moveB.y -= dy * force;
}

function pull(points: readonly Point[], moves: Point[], from: number, to: number, reach: number): void {
  const [a, b, moveA, moveB] = [points[from], points[to], moves[from], moves[to]];
  if (!a || !b || !moveA || !moveB) return;
  const [dx, dy] = [a.x - b.x, a.y - b.y];
  const force = Math.sqrt(dx * dx + dy * dy) / reach / 3;
  moveA.x -= dx * force;
  moveA.y -= dy * force;
  moveB.x += dx * force;
  moveB.y += dy * force;
}

function move(point: Point, by: Point | undefined, heat: number): void {
  if (!by) return;
  const length = Math.max(Math.hypot(by.x, by.y), 1e-9);
  const step = Math.min(length, heat) / length;
  point.x += by.x * step;
  point.y += by.y * step;
}

/** Into the frame, whatever their extent; one alone stands in the middle. */
function fitted(points: readonly Point[]): readonly Point[] {
  const spread = (values: readonly number[], size: number, margin: number) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const span = high - low;
    return values.map((value) =>
      Math.round(span === 0 ? size / 2 : margin + ((value - low) / span) * (size - 2 * margin)),
    );
  };
  const xs = spread(
    points.map(({ x }) => x),
    WIDTH,
    MARGIN.x,
  );
  const ys = spread(
    points.map(({ y }) => y),
    HEIGHT,
    MARGIN.y,
  );
  return points.map((_, index) => ({ x: xs[index] ?? 0, y: ys[index] ?? 0 }));
}
