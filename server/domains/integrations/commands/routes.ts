import { z } from 'zod'

import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import type { ChatAnswer as Answer } from './reply.ts'
import { trigger, triggerAnywhere } from './trigger.ts'

/** The reply of a chat command (spec administration 3.1). */
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
    ...(answer.attachments
      ? { attachments: answer.attachments.map((attachment) => ({ ...attachment })) }
      : {}),
  }),
)

/** The maximum lengths of names and texts that chats send. */
const NAME = { max: 255 }
const TEXT = { max: 65_536 }

const optional = (description: string) => text(NAME).optional().describe(description)
const message = {
  team_id: optional('The ID of the team in the chat'),
  team_domain: optional('The name of the team in the chat'),
  channel_name: optional('The channel of the command'),
  user_id: optional('The ID of the user in the chat'),
  user_name: optional('The name of the user in the chat'),
  command: optional('The slash command'),
}

const token = text(NAME).describe('The token of the integration')

/** Chats authenticate with the token of the integration, so there is no signed-in user. */
const chat = { can: 'anyone', ignoresCredentials: true } as const

/** Declares one endpoint for each chat, at both paths of integrations. */
export const triggers: Endpoint[] = ['integrations', 'services'].flatMap((at) =>
  ['slack', 'mattermost'].map((name) =>
    endpoint(`POST /projects/:id/${at}/${name}_slash_commands/trigger`, {
      ...chat,
      summary: `Run a ${name === 'slack' ? 'Slack' : 'Mattermost'} slash command`,
      params: {
        id: text({ max: 1024 }).describe('The ID or URL-encoded path of the project'),
        token,
        ...message,
        text: text(TEXT).optional().describe('The text of the command'),
      },
      returns: ok(ChatAnswer),
      run: ({ params, ...ctx }) => trigger(ctx, params.id, `${name}-slash-commands`, params),
    }),
  ),
)

export const slackTrigger = endpoint('POST /slack/trigger', {
  ...chat,
  summary: 'Run a global Slack slash command',
  params: {
    text: text(TEXT).describe('The path of the project, followed by the text of the command'),
    token: token.optional(),
    ...message,
  },
  returns: ok(ChatAnswer),
  run: ({ params, ...ctx }) => triggerAnywhere(ctx, 'slack-slash-commands', params),
})
