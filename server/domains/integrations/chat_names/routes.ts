import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import { connectionRequest, type ChatUser } from './service.ts'
import * as store from './store.ts'
import type { ChatNameDetails } from './store.ts'

/** A request of a chat user to be connected with an account. */
const ChatRequest = entity(
  'ChatRequest',
  { title: z.string(), team_domain: z.string(), chat_name: z.string(), project_path: z.string() },
  (row: { title: string; project: Project; person: ChatUser }) => ({
    title: row.title,
    team_domain: row.person.team_domain,
    chat_name: row.person.chat_name,
    project_path: fullPath(row.project),
  }),
)

/** The connection of a user with their account in a project's chat. */
const ChatName = entity(
  'ChatName',
  {
    id: z.int(),
    title: z.string(),
    team_domain: z.string(),
    chat_name: z.string(),
    project_id: z.int(),
    project_path: z.string(),
    created_at: time(),
    last_used_at: time().nullable(),
  },
  row<ChatNameDetails>(),
  (row) => ({
    title: catalogueOf(row.slug).title,
  }),
)

const token = text({ max: 8192 }).describe('The token from the URL that the chat showed')

/** Throws 403 for callers with a token: only a browser session may connect accounts. */
function requireSession({ actor }: Ctx): void {
  if (actor.kind !== 'user' || actor.via !== 'session') throw fail('forbidden')
}

export const chatRequest = endpoint('GET /-/profile/chat_names/request', {
  summary: 'Get a chat connection request',
  can: 'signed_in',
  params: { token },
  returns: ok(ChatRequest),
  run: ({ params, ...ctx }) => connectionRequest(ctx, params.token),
})

export const chatNames = endpoint('GET /-/profile/chat_names', {
  summary: 'List chat connections',
  can: 'signed_in',
  returns: page(ChatName, { paging: 'none' }),
  run: (ctx) => {
    const rows = store.ofUser(ctx.db, ctx.actor.id ?? 0)
    return { rows, total: rows.length }
  },
})

export const connectChatName = endpoint('POST /-/profile/chat_names', {
  summary: 'Connect a chat account',
  can: 'signed_in',
  params: { token },
  returns: created(ChatRequest),
  run: ({ params, ...ctx }) => {
    requireSession(ctx)
    const request = connectionRequest(ctx, params.token)
    store.put(ctx.db, { ...request.person, user_id: ctx.actor.id!, created_at: ctx.now, last_used_at: null })
    return request
  },
})

export const removeChatName = endpoint('DELETE /-/profile/chat_names/:chat_name_id', {
  summary: 'Disconnect a chat account',
  can: 'signed_in',
  params: { chat_name_id: int({ min: 1 }).describe('The ID of the connection') },
  returns: noContent,
  run: ({ params, ...ctx }) => {
    if (!store.remove(ctx.db, ctx.actor.id ?? 0, params.chat_name_id)) throw notFound()
  },
})
