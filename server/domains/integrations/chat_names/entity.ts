import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import type { ChatPerson } from './service.ts'
import type { ChatNameLine } from './store.ts'

/** A chat user who asks to be connected with an account. */
export const ChatRequest = entity(
  'ChatRequest',
  { title: z.string(), team_domain: z.string(), chat_name: z.string(), project_path: z.string() },
  (row: { title: string; project: Project; person: ChatPerson }) => ({
    title: row.title,
    team_domain: row.person.team_domain,
    chat_name: row.person.chat_name,
    project_path: fullPath(row.project),
  }),
)

/** The connection of a user with their account in a project's chat. */
export const ChatName = entity(
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
  row<ChatNameLine>(),
  (row) => ({
    title: catalogueOf(row.slug).title,
  }),
)
