import type { SyntaxNode } from "unbash";

/** `x=1`, `x+=1`, `x++`. */
export function assignedByArithmetic(node: SyntaxNode): string | undefined {
  const target =
    node.type === "ArithmeticBinary" && /^(?:[-+*/%&|^]|<<|>>)?=$/.test(node.operator)
      ? node.left
      : node.type === "ArithmeticUnary" && /^(?:\+\+|--)$/.test(node.operator)
        ? node.operand
        : undefined;
  return target?.type === "ArithmeticWord" ? target.value : undefined;
}
