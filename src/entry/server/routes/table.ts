/** Every route of the API; the only list. */
import type { Route } from "../route.ts";
import { approvalRoutes } from "./approvals.ts";
import { auditRoutes } from "./audit.ts";
import { channelRoutes } from "./channels.ts";
import { decisionRoutes } from "./decisions.ts";
import { eventRoutes } from "./events.ts";
import { knowledgeRoutes } from "./knowledge.ts";
import { knowledgeDecisionRoutes } from "./knowledge-decisions.ts";
import { notificationRoutes } from "./notifications.ts";
import { organisationRoutes } from "./organisation.ts";
import { peopleRoutes } from "./people.ts";
import { runRoutes } from "./runs.ts";
import { tokenRoutes } from "./tokens.ts";

export const ROUTES: readonly Route[] = [
  ...approvalRoutes,
  ...decisionRoutes,
  ...eventRoutes,
  ...organisationRoutes,
  ...peopleRoutes,
  ...tokenRoutes,
  ...channelRoutes,
  ...notificationRoutes,
  ...auditRoutes,
  ...runRoutes,
  ...knowledgeRoutes,
  ...knowledgeDecisionRoutes,
];
