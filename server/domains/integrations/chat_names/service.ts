import type { Ctx } from '../../../ctx.ts'
import { Failure, notFound } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import { project, projectById } from '../../projects/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import { byId } from '../store.ts'

const PURPOSE = 'chat_names.request'

/** How long an address to connect an account with holds. */
const HOLDS_MS = 10 * 60 * 1000

/** Somebody in a chat who wants to be known here. */
export interface ChatPerson {
  readonly integration_id: number
  readonly team_id: string
  readonly team_domain: string
  readonly chat_id: string
  readonly chat_name: string
}

/** The address at which whoever is signed in says that they are that person. */
export function connectUrl(ctx: Ctx, person: ChatPerson): string {
  const until = Date.parse(ctx.now) + HOLDS_MS
  const token = ctx.secrets.seal(JSON.stringify({ ...person, until }), PURPOSE)
  return `${ctx.config.url}/-/profile/chat_names/new?token=${encodeURIComponent(token)}`
}

/** Who an address was made for. Throws 404 for one that is none, or is too old. */
export function personOf(ctx: Ctx, token: string): ChatPerson {
  try {
    const { until, ...person } = JSON.parse(ctx.secrets.open(token, PURPOSE).toString()) as ChatPerson & {
      until: number
    }
    if (until >= Date.parse(ctx.now)) return person
  } catch {
    // Not sealed here, or for something else.
  }
  throw new Failure('not_found', '404 Request Not Found')
}

/** Who asks to be known, with the project it is for. Throws 404 where that is gone, or the actor may not see it. */
export function asked(ctx: Ctx, sealed: string) {
  const person = personOf(ctx, sealed)
  const row = byId(ctx.db, person.integration_id)
  const found = row?.active === true ? projectById(ctx.db, row.project_id) : undefined
  if (!row || !found || !canRead(ctx, project, found)) throw notFound('Request')
  return { person, title: catalogueOf(row.slug).title, project: found }
}
