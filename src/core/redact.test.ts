import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact, redactJson } from "./redact.ts";

// Put together here so that no scanner takes this file for a leak.
const token = (prefix: string, length: number) => prefix + "aB3dE5fG7h".repeat(10).slice(0, length);
const jwt = `${token("eyJ", 20)}.${token("eyJ", 40)}.${token("", 43)}`;
const pem = (label: string) => `-----BEGIN ${label}-----\n${token("", 64)}\n${token("", 64)}==\n-----END ${label}-----`;

describe("KB-6 a secret is replaced by its kind", () => {
  it.each([
    ["aws-key", "AKIA" + "ABCDEFGHIJKLMNOP"],
    ["github-token", token("ghp_", 36)],
    ["github-token", token("ghs_", 36)],
    ["github-token", token("github_pat_", 82)],
    ["gitlab-token", token("glpat-", 20)],
    ["slack-token", token("xoxb-123456789012-", 24)],
    ["slack-token", token("xapp-1-", 40)],
    ["slack-webhook", `hooks.slack.com/services/${token("T", 9)}/${token("B", 9)}/${token("", 24)}`],
    ["npm-token", token("npm_", 36)],
    ["stripe-key", token("sk_live_", 24)],
    ["stripe-key", token("rk_test_", 24)],
    ["openai-key", token("sk-", 48)],
    ["openai-key", token("sk-proj-", 60)],
    ["anthropic-key", token("sk-ant-api03-", 80)],
    ["google-key", token("AIza", 35)],
    ["google-key", token("ya29.", 60)],
    ["service-token", token("hf_", 34)],
    ["service-token", token("hvs.", 60)],
    ["jwt", jwt],
    ["private-key", pem("RSA PRIVATE KEY")],
    ["private-key", pem("OPENSSH PRIVATE KEY")],
    ["private-key", pem("PRIVATE KEY")],
    ["private-key", pem("PGP PRIVATE KEY BLOCK")],
    ["private-key", pem("EC PRIVATE KEY").replaceAll("\n", "\\n")],
  ])("%s", (kind, secret) => {
    expect(redact(`before ${secret} after`)).toBe(`before [redacted:${kind}] after`);
    expect(redact(`{"value":"${secret}"}`)).toBe(`{"value":"[redacted:${kind}]"}`);
  });

  it("a private key that was cut short is redacted to its end", () => {
    const cut = `cat key\n${pem("PRIVATE KEY").slice(0, 80)}`;
    expect(redact(cut)).toBe("cat key\n[redacted:private-key]");
  });
});

describe("KB-6 a value is redacted for what stands before it, and what stands before it stays", () => {
  it.each([
    ["curl -H 'Authorization: Bearer abc.def' x", "curl -H 'Authorization: Bearer [redacted:authorization]' x"],
    ["authorization: Basic dXNlcjpwYXNz", "authorization: Basic [redacted:authorization]"],
    ['{"Authorization":"token 0123abc"}', '{"Authorization":"token [redacted:authorization]"}'],
    [`use bearer ${token("", 30)} here`, "use bearer [redacted:authorization] here"],
    ["curl -H 'Cookie: sid=1; theme=dark' x", "curl -H 'Cookie: [redacted:cookie]' x"],
    ["git clone https://bob:hunter2@host/x", "git clone https://bob:[redacted:url-password]@host/x"],
    ["postgres://app:p@ss:w0rd@db:5432/app", "postgres://app:[redacted:url-password]@db:5432/app"],
    ["redis://:hunter2@cache", "redis://:[redacted:url-password]@cache"],
    ["https://0123456789abcdef0123456789@host/", "https://[redacted:url-password]@host/"],
    ["tool --password hunter2 --verbose", "tool --password [redacted:flag] --verbose"],
    ["tool --password='a b' -v", "tool --password=[redacted:flag] -v"],
    ["tool --db-password=hunter2", "tool --db-password=[redacted:flag]"],
    ["tool --token=abc123 run", "tool --token=[redacted:flag] run"],
    ["tool --api-key abc123", "tool --api-key [redacted:flag]"],
    ["mysql -u root -phunter2 app", "mysql -u root -p[redacted:flag] app"],
    ["mysqldump -h db -u root -p'hunter 2' app", "mysqldump -h db -u root -p[redacted:flag] app"],
    ["sshpass -p hunter2 ssh host", "sshpass -p [redacted:flag] ssh host"],
    ["docker login -u me -p hunter2 registry", "docker login -u me -p [redacted:flag] registry"],
    ["curl -u me:hunter2 https://host", "curl -u me:[redacted:flag] https://host"],
    ["redis-cli -h cache -a hunter2 ping", "redis-cli -h cache -a [redacted:flag] ping"],
    ["openssl rsa -passin pass:hunter2 -in k", "openssl rsa -passin pass:[redacted:flag] -in k"],
    ["PASSWORD=hunter2 npm start", "PASSWORD=[redacted:assignment] npm start"],
    ["export GITHUB_TOKEN=abc && x", "export GITHUB_TOKEN=[redacted:assignment] && x"],
    ['APP_SECRET="a b c" x', "APP_SECRET=[redacted:assignment] x"],
    ["DB_PASS=hunter2 MYSQL_PWD=x PORT=80", "DB_PASS=[redacted:assignment] MYSQL_PWD=[redacted:assignment] PORT=80"],
    ["GET /x?access_token=abc&page=2", "GET /x?access_token=[redacted:assignment]&page=2"],
    ["host=db password=hunter2 dbname=app", "host=db password=[redacted:assignment] dbname=app"],
    ['{"password":"hun\\"ter2","user":"bob"}', '{"password":"[redacted:assignment]","user":"bob"}'],
    ['{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"[redacted:assignment]\\"}'],
    ["const apiKey = 'abcdef123456';", "const apiKey = '[redacted:assignment]';"],
    ["user: bob\npassword: hunter2\nport: 80", "user: bob\npassword: [redacted:assignment]\nport: 80"],
    ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY\n", "aws_secret_access_key = [redacted:assignment]\n"],
    ["PASSWORD='$ecret!1' x", "PASSWORD=[redacted:assignment] x"],
    ["DB_PASSWORD=$2b$10$abcdefghijk x", "DB_PASSWORD=[redacted:assignment] x"],
    ['tool --password "hunter2 and the text was cut', "tool --password [redacted:flag]"],
  ])("%s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});

describe("ordinary text stays as it is", () => {
  it.each([
    "git show 3f2a9c1d4e5b6a7f8091a2b3c4d5e6f708192a3b",
    "session 5f0c1e1a-2b6c-4c1e-9d43-0a1b2c3d4e5f started",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "/home/me/work/project/src/records/redaction-rules.test.ts",
    "the next token is a word",
    "a token: see below",
    "grep -r password src",
    "grep -n 'token' src/lexer.ts | head",
    "Password: required",
    "authorization: required for every call",
    "the bearer of this letter",
    "const token = lexer.next();",
    "const password = await prompt('Password');",
    "password = getpass.getpass()",
    "token: string;",
    "secret: Uint8Array",
    "if (token === undefined) throw new Error()",
    "client(token=parse(line), password=None)",
    "PASSWORD=$DB_PASSWORD npm start",
    'curl -H "Authorization: Bearer $TOKEN" https://host',
    "curl -H 'Authorization: Bearer <your token>' https://host",
    "tool --token ${{ secrets.TOKEN }}",
    "mysql -u root -p$PASS app; git clone https://bob:$PASS@host/x",
    "docker login --password-stdin registry",
    "docker build --secret id=npmrc,src=.npmrc .",
    "  --token string      the token to use",
    "  --password\n        asks for one",
    "llm --max-tokens 4096 --max-token 10",
    "docker run -p 8080:80 -u 1000:1000 image",
    "mkdir -p src/records && ssh -p 2222 host",
    "mysql -u root -p app",
    "PWD=/work OLDPWD=/tmp",
    "private_key=/etc/ssl/private/key.pem",
    "curl --user-agent test:1 https://host:8443/x",
    "http://[::1]:8080/ and https://medium.com/@somebody",
    "ssh git@github.com:owner/repo.git",
    "global-navigation-component-library-example",
    "npm_config_registry_is_a_variable_of_npm_itself",
    "grep -r -- '-----BEGIN RSA PRIVATE KEY-----' src",
    "task-1234567890123456789012345678901234567890",
  ])("%s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("redacting twice changes nothing more", () => {
    const piece = fc.constantFrom(
      "password",
      "token",
      "=",
      ": ",
      '"',
      "'",
      " ",
      "\n",
      "--",
      "hunter2",
      "abcdef0123456789",
      "https://",
      "@",
      ":",
      "Authorization: Bearer ",
      jwt,
      token("ghp_", 36),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const once = redact(pieces.join(""));
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });
});

describe("hostile input", () => {
  const MEGABYTE = 1024 * 1024;
  it.each([
    "a",
    "-eyJ",
    "eyJaaaaaaaa.",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAA",
    "://a:",
    'password="',
    "password='",
    "password: ",
    'password\\":\\"',
    "token=",
    "--token ",
    "--a-",
    "mysql ",
    "curl -u ",
    "docker login ",
    "bearer a",
    "authorization: ",
    "hooks.slack.com/services/",
    "Cookie: a=",
    "a.a@",
    "\\",
  ])("a megabyte of %j takes linear time", (piece) => {
    const timeMs = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const before = process.cpuUsage();
      redact(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    // Quadratic time would be 256 times.
    expect(timeMs(MEGABYTE)).toBeLessThan(100 * Math.max(timeMs(MEGABYTE / 16), 1));
  });
});

describe("a JSON value", () => {
  it("is redacted in its strings and under its secret-looking keys", () => {
    const value = {
      command: "PASSWORD=hunter2 x",
      nested: [{ api_key: "abc", "X-Api-Key": "abc", clientSecret: "abc", private_key: "abc" }],
      password: { value: "abc", length: 3 },
      authorization: "whatever",
      accessToken: "abc",
      db_password: "$ecret",
      pin_password: 1234,
    };
    expect(redactJson(value)).toEqual({
      command: "PASSWORD=[redacted:assignment] x",
      nested: [
        {
          api_key: "[redacted:field]",
          "X-Api-Key": "[redacted:field]",
          clientSecret: "[redacted:field]",
          private_key: "[redacted:field]",
        },
      ],
      password: { value: "[redacted:field]", length: "[redacted:field]" },
      authorization: "[redacted:field]",
      accessToken: "[redacted:field]",
      db_password: "[redacted:field]",
      pin_password: "[redacted:field]",
    });
  });

  it("keeps what only sounds like a secret", () => {
    const value = {
      max_tokens: 4096,
      token_count: 12,
      tokens: ["git", "push"],
      token: { type: "word", text: "push" },
      token_type: "bearer",
      password_file: "/run/x",
      password: "$DB_PASSWORD",
      api_key: "${{ secrets.API_KEY }}",
      secret: null,
      has_password: true,
    };
    expect(redactJson(value)).toEqual(value);
  });

  it("is not changed itself", () => {
    const value = { password: "abc" };
    redactJson(value);
    expect(value).toEqual({ password: "abc" });
  });

  it("can be written whatever it holds: cycles, dates, big integers, __proto__", () => {
    const cycle: Record<string, unknown> = { at: new Date(0), big: 10n ** 20n };
    cycle.self = cycle;
    cycle.again = [cycle, cycle];
    let deep: unknown = "bottom";
    for (let depth = 0; depth < 5_000; depth++) deep = [deep];
    cycle.deep = deep;
    const text = JSON.stringify(redactJson(cycle));
    expect(text).toContain('"at":"1970-01-01T00:00:00.000Z","big":"100000000000000000000"');
    expect(JSON.stringify(redactJson(JSON.parse('{"__proto__":{"a":"b"}}')))).toBe('{"__proto__":{"a":"b"}}');
  });

  it("without secrets is the same afterwards", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (json) => {
        const value = JSON.parse(json);
        fc.pre(!/password|secret|token|key|auth|cookie|credential/i.test(json));
        expect(redactJson(value)).toEqual(value);
      }),
    );
  });
});

describe("a record is copied only where something in it is redacted", () => {
  it("what holds no secret is handed back itself", () => {
    const record = { id: "1", input: { command: "git status", list: ["a", { b: 1 }] }, nothing: null };
    expect(redactJson(record)).toBe(record);
  });

  it("a secret deep inside changes the copy, and leaves what was given alone", () => {
    const secret = token("ghp_", 36);
    const record = { id: "1", kept: { a: 1 }, items: [{ text: "clean" }, { text: secret }], last: true };
    const clean = redactJson(record);
    expect(JSON.stringify(clean)).toBe(JSON.stringify(record).replace(secret, "[redacted:github-token]"));
    expect(record.items[1]?.text).toBe(secret);
    expect(clean.kept).toBe(record.kept);
  });

  it("what is written as other text than its keys and values have is no way around it", () => {
    const secret = token("ghp_", 36);
    for (const value of [Object(secret), [Object(secret)], { text: Object(secret) }, new Map([["a", secret]])])
      expect(JSON.stringify(redactJson(value))).not.toContain(secret);
  });
});
