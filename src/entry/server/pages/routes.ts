/** The pages, as routes of the server. What they change, they change as the API does. */
import { Hono } from "hono";
import type { ServerContext, ServerEnv } from "../context.ts";
import { ownPath } from "../own-path.ts";
import { unknown } from "../problem.ts";
import { MAX_BODY_BYTES, readForm } from "../request-body.ts";
import { approvalRoutes } from "./approval-routes.ts";
import { assetNamed } from "./assets.ts";
import { knowledgeRoutes } from "./knowledge/knowledge-routes.ts";
import { keepTheme, themeNamed } from "./page-call.ts";
import { recordRoutes } from "./record-routes.ts";
import { runRoutes } from "./runs/run-routes.ts";
import { teamRoutes } from "./team/team-routes.ts";

export function pageRoutes(context: ServerContext): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  app.get("/", (c) => c.redirect("/inbox", 303));
  app.get("/assets/:name", (c) => {
    const asset = assetNamed(c.req.param("name"));
    if (!asset) throw unknown("such file");
    const isThisVersion = c.req.query("v") === asset.version;
    return c.body(asset.text, 200, {
      "content-type": asset.type,
      "cache-control": isThisVersion ? "public, max-age=31536000, immutable" : "no-cache",
    });
  });
  app.post("/theme", async (c) => {
    const form = c.get("csrf") === undefined ? await readForm(c, MAX_BODY_BYTES) : context.form(c);
    keepTheme(context, c, themeNamed(form.theme) ?? "system");
    return c.redirect(ownPath(form.from, context.publicUrl), 303);
  });
  app.route("/", approvalRoutes(context));
  app.route("/", recordRoutes(context));
  app.route("/", runRoutes(context));
  app.route("/", teamRoutes(context));
  app.route("/", knowledgeRoutes(context));
  return app;
}
