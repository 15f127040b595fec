import type { Ctx } from '../../../ctx.ts'
import { Failure, notFound } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import { project, projectById } from '../../projects/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import { byId } from '../store.ts'

const PURPOSE = 'chat_names.request'

/** The lifetime of a URL to connect an account, in milliseconds. */
const LIFETIME_MS = 10 * 60 * 1000

/** A user of a chat. */
export interface ChatUser {
  readonly integration_id: number
  readonly team_id: string
  readonly team_domain: string
  readonly chat_id: string
  readonly chat_name: string
}

/** Makes the URL at which a signed-in user connects their account with a chat user. */
export function connectUrl(ctx: Ctx, person: ChatUser): string {
  const until = Date.parse(ctx.now) + LIFETIME_MS
  const token = ctx.secrets.seal(JSON.stringify({ ...person, until }), PURPOSE)
  return `${ctx.config.url}/-/profile/chat_names/new?token=${encodeURIComponent(token)}`
}

/** Returns the chat user of such a URL. Throws 404 for an invalid or expired token. */
export function chatUserOf(ctx: Ctx, token: string): ChatUser {
  try {
    const { until, ...person } = JSON.parse(ctx.secrets.open(token, PURPOSE).toString()) as ChatUser & {
      until: number
    }
    if (until >= Date.parse(ctx.now)) return person
  } catch {
    // The token was encrypted by another instance or for another purpose.
  }
  throw new Failure('not_found', '404 Request Not Found')
}

/**
 * Returns the chat user and the project of a request. Throws 404 if the project is deleted or the caller cannot see it.
 */
export function connectionRequest(ctx: Ctx, sealed: string) {
  const person = chatUserOf(ctx, sealed)
  const row = byId(ctx.db, person.integration_id)
  const owner = row?.active === true ? projectById(ctx.db, row.project_id) : undefined
  if (!row || !owner || !canRead(ctx, project, owner)) throw notFound('Request')
  return { person, title: catalogueOf(row.slug).title, project: owner }
}
