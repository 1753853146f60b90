import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { xmlFields } from "./xml.ts";

describe("the XML of WeCom", () => {
  it("texts of elements are read by name, those of deeper ones too", () => {
    const fields = xmlFields(`<xml>
      <ToUserName><![CDATA[corp]]></ToUserName>
      <CreateTime>1700000000</CreateTime><Empty></Empty>
      <SelectedItems><SelectedItem><QuestionKey><![CDATA[a<b]]></QuestionKey></SelectedItem></SelectedItems>
      <Text>a &lt;b&gt; &amp;amp;</Text>
    </xml>`);
    expect(Object.fromEntries(fields ?? [])).toEqual({
      ToUserName: "corp",
      CreateTime: "1700000000",
      Empty: "",
      QuestionKey: "a<b",
      Text: "a <b> &amp;",
    });
  });

  it.each([
    '<!DOCTYPE x [<!ENTITY a "b">]><xml><A>&a;</A></xml>',
    "<xml><A>&a;</A></xml>",
    "<xml><A>&#65;</A></xml>",
    '<xml><A b="c">d</A></xml>',
    "<xml><A>b</B></xml>",
    "<xml><A>b</A>",
    "<xml></xml><xml></xml>",
    "<!-- c --><xml></xml>",
    '<?xml version="1.0"?><xml></xml>',
    "text",
    "",
    `${"<a>".repeat(50)}${"</a>".repeat(50)}`,
  ])("nothing else of XML is read: %s", (text) => {
    expect(xmlFields(text)).toBeUndefined();
  });

  it("the first of two elements with one name counts, so that none can be put over another", () => {
    expect(xmlFields("<xml><A>1</A><A>2</A></xml>")?.get("A")).toBe("1");
  });

  it("any text is read or refused, and never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => void xmlFields(text)));
    const words = fc.constantFrom("<xml>", "</xml>", "<A>", "</A>", "<![CDATA[", "]]>", "&lt;", "&", "x");
    fc.assert(fc.property(fc.array(words), (parts) => void xmlFields(parts.join(""))));
  });
});
