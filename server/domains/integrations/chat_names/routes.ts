import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { ChatName, ChatRequest } from './entity.ts'
import { asked } from './service.ts'
import * as store from './store.ts'

const token = text({ max: 8192 }).describe('What the address in the chat carries')

/** A program that holds a token must not make more of itself. */
function checkWindow({ actor }: Ctx): void {
  if (actor.kind !== 'user' || actor.via !== 'session') throw fail('forbidden')
}

export const chatRequest = endpoint('GET /-/profile/chat_names/request', {
  summary: 'Get who in a chat asks to be connected with an account',
  can: 'signed_in',
  params: { token },
  returns: ok(ChatRequest),
  run: ({ params, ...ctx }) => asked(ctx, params.token),
})

export const chatNames = endpoint('GET /-/profile/chat_names', {
  summary: 'List what one is called in chats',
  can: 'signed_in',
  returns: page(ChatName, { paging: 'none' }),
  run: (ctx) => {
    const rows = store.ofUser(ctx.db, ctx.actor.id ?? 0)
    return { rows, total: rows.length }
  },
})

export const connectChatName = endpoint('POST /-/profile/chat_names', {
  summary: 'Say that one is somebody in a chat',
  can: 'signed_in',
  params: { token },
  returns: created(ChatRequest),
  run: ({ params, ...ctx }) => {
    checkWindow(ctx)
    const request = asked(ctx, params.token)
    store.put(ctx.db, { ...request.person, user_id: ctx.actor.id!, created_at: ctx.now, last_used_at: null })
    return request
  },
})

export const removeChatName = endpoint('DELETE /-/profile/chat_names/:chat_name_id', {
  summary: 'No longer be somebody in a chat',
  can: 'signed_in',
  params: { chat_name_id: int({ min: 1 }).describe('Id of the connection') },
  returns: noContent,
  run: ({ params, ...ctx }) => {
    if (!store.remove(ctx.db, ctx.actor.id ?? 0, params.chat_name_id)) throw notFound()
  },
})
