import { z } from 'zod'

import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import type { ChatAnswer as Answer } from './reply.ts'
import { trigger, triggerAnywhere } from './trigger.ts'

/** What a chat shows for a command (spec administration 3.1). */
const ChatAnswer = entity(
  'ChatAnswer',
  {
    response_type: z.enum(['in_channel', 'ephemeral']),
    text: z.string(),
    attachments: z.array(z.record(z.string(), z.unknown())).optional(),
  },
  (answer: Answer) => ({
    response_type: answer.response_type,
    text: answer.text,
    ...(answer.attachments ? { attachments: answer.attachments.map((one) => ({ ...one })) } : {}),
  }),
)

/** Longest name that a chat sends, and longest text. */
const NAME = { max: 255 }
const TEXT = { max: 65_536 }

const optional = (words: string) => text(NAME).optional().describe(words)
const message = {
  team_id: optional('Id of the team in the chat'),
  team_domain: optional('Name of the team in the chat'),
  channel_name: optional('Where it was said'),
  user_id: optional('Id of whoever said it, in the chat'),
  user_name: optional('Name of whoever said it, in the chat'),
  command: optional('What stands in front of the words'),
}

const token = text(NAME).describe('The token of the integration')

/** Chats prove themselves by the token of the integration; nobody is signed in. */
const chat = { can: 'anyone', openly: true } as const

/** One for each chat, below both addresses of integrations. */
export const triggers: Endpoint[] = ['integrations', 'services'].flatMap((at) =>
  ['slack', 'mattermost'].map((name) =>
    endpoint(`POST /projects/:id/${at}/${name}_slash_commands/trigger`, {
      ...chat,
      summary: `Carry out a command that was said in ${name === 'slack' ? 'Slack' : 'Mattermost'}`,
      params: {
        id: text({ max: 1024 }).describe('Id or URL-encoded full path of the project'),
        token,
        ...message,
        text: text(TEXT).optional().describe('What was said'),
      },
      returns: ok(ChatAnswer),
      run: ({ params, ...ctx }) => trigger(ctx, params.id, `${name}-slash-commands`, params),
    }),
  ),
)

export const slackTrigger = endpoint('POST /slack/trigger', {
  ...chat,
  summary: 'Carry out a command that was said in Slack and begins with the path of a project',
  params: {
    text: text(TEXT).describe('The path of a project, and what was said'),
    token: token.optional(),
    ...message,
  },
  returns: ok(ChatAnswer),
  run: ({ params, ...ctx }) => triggerAnywhere(ctx, 'slack-slash-commands', params),
})
