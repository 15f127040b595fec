import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { entity, time } from '../../../http/entity.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import { fullPath, project, type Project, projectById } from '../../projects/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import { byId } from '../store.ts'
import { type ChatPerson, personOf } from './request.ts'
import * as store from './store.ts'
import type { ChatNameLine } from './store.ts'

/** Somebody in a chat, as they are asked whether that is them. */
const ChatRequest = entity(
  'ChatRequest',
  { title: z.string(), team_domain: z.string(), chat_name: z.string(), project_path: z.string() },
  (row: { title: string; project: Project; person: ChatPerson }) => ({
    title: row.title,
    team_domain: row.person.team_domain,
    chat_name: row.person.chat_name,
    project_path: fullPath(row.project),
  }),
)

/** What a user is called in the chat of a project. */
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
  (row: ChatNameLine) => ({
    id: row.id,
    title: catalogueOf(row.slug).title,
    team_domain: row.team_domain,
    chat_name: row.chat_name,
    project_id: row.project_id,
    project_path: row.project_path,
    created_at: row.created_at,
    last_used_at: row.last_used_at,
  }),
)

const token = text({ max: 8192 }).describe('What the address in the chat carries')

/** Who asks to be known, with the project it is for. Throws 404 where that is gone, or the actor may not see it. */
function asked(ctx: Ctx, sealed: string) {
  const person = personOf(ctx, sealed)
  const row = byId(ctx.db, person.integration_id)
  const found = row?.active === true ? projectById(ctx.db, row.project_id) : undefined
  if (!row || !found || !canRead(ctx, project, found)) throw notFound('Request')
  return { person, title: catalogueOf(row.slug).title, project: found }
}

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
