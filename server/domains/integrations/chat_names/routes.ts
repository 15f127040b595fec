import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { ChatName, ChatRequest } from './entity.ts'
import { connectionRequest } from './service.ts'
import * as store from './store.ts'

const token = text({ max: 8192 }).describe('The token from the URL that the chat showed')

/** Throws 403 for callers with a token: only a browser session may connect accounts. */
function checkWindow({ actor }: Ctx): void {
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
    checkWindow(ctx)
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
