/** Against what the platforms' own documents give as examples: our reading of them is not only our own. */
import { describe, expect, it } from "vitest";
import { decrypted as feishuDecrypted } from "./feishu/cipher.ts";
import { received as slackReceived } from "./slack/callback.ts";
import { received as wecomReceived } from "./wecom/callback.ts";

describe("examples in the platforms' documents", () => {
  it("F-28 Feishu's encrypted example is read", () => {
    expect(feishuDecrypted("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=", "test key")).toBe("hello world");
    expect(feishuDecrypted("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=", "other key")).not.toBe("hello world");
  });

  it("F-28 WeCom's example of a URL check is answered", () => {
    const secrets = {
      corpId: "wx5823bf96d3bd56c7",
      agentId: "1",
      token: "QDG6eK",
      aesKey: "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C",
    };
    const query = {
      msg_signature: "5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3",
      timestamp: "1409659589",
      nonce: "263014780",
      echostr: "P9nAzCzyDtyTWESHep1vC5X9xho/qYX3Zpb4yKa9SKld1DsH3Iyt3tP3zNdtp+4RPcs8TgAE7OaBO+FZXvnaqQ==",
    };
    const at = new Date(1409659600_000);
    const callback = { method: "GET", headers: {}, query, body: "" };
    expect(wecomReceived(callback, secrets, at)).toMatchObject({
      kind: "challenge",
      answer: { body: "1616140317555161061" },
    });
    expect(wecomReceived(callback, { ...secrets, corpId: "wx-other" }, at)).toMatchObject({
      kind: "refused",
      status: 401,
    });
  });

  it("F-28 the signature of Slack's example is taken", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    };
    const at = new Date(1531420618_000);
    const callback = { method: "POST", headers, query: {}, body };
    const secret = "8f742231b10e8888abcd99yyyzzz85a5";
    // It is a command, not a click: genuine, but without the payload we read.
    expect(slackReceived(callback, secret, undefined, at)).toMatchObject({ kind: "refused", status: 400 });
    expect(slackReceived(callback, "other", undefined, at)).toMatchObject({ kind: "refused", status: 401 });
  });
});
