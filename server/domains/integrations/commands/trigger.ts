import type { Ctx } from '../../../ctx.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { Failure, notFound } from '../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import { wrongCredential } from '../../auth/index.ts'
import { ciAbilities, createPipeline, manualJobsFor, startJob } from '../../ci/index.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { findProject, fullPath, project as scope } from '../../projects/index.ts'
import { connectUrl } from '../chat_names/service.ts'
import * as chatNames from '../chat_names/store.ts'
import { secretsOf } from '../settings.ts'
import { find, type IntegrationRow } from '../store.ts'
import { issueCommands } from './issues.ts'
import {
  type ChatAnswer,
  type Command,
  type CommandContext,
  markupOf,
  privateReply,
  publicReply,
} from './reply.ts'

/** The maximum length of the input of a job, in characters. */
const MAX_INPUT = 4096

function mayRun({ ctx, project }: CommandContext): boolean {
  return hasAbility(ctx, scope, ciAbilities.create_pipeline, project, true)
}

/** Starts the only manual job that deploys from one environment to another. */
const deploy: Command = {
  pattern: /^deploy\s+(?<from>\S{1,255})\s+to\s+(?<to>\S{1,255})$/i,
  usage: 'deploy <environment> to <environment>',
  isAllowed: mayRun,
  run: (chat, { from, to }) => {
    const { ctx, project, markup } = chat
    const jobs = manualJobsFor(ctx, project, { from: from!, to: to! })
    if (jobs.length === 0) return privateReply('There is no manual job that deploys there.')
    const [job, second] = jobs
    if (second)
      return privateReply(
        `Several jobs deploy there: ${jobs.map((entry) => markup.plain(entry.name)).join(', ')}.`,
      )
    startJob(ctx, project, job!)
    const url = `${ctx.config.url}/${fullPath(project)}/-/jobs/${job!.id}`
    return publicReply(
      `Deployment from ${markup.plain(from!)} to ${markup.plain(to!)} ${markup.link('started', url)}.`,
    )
  },
}

/** Runs one job of the configuration on the default branch, with the rest of the text as input. */
const run: Command = {
  pattern: /^run\s+(?<job>\S{1,255})(?:\s+(?<input>[\s\S]+))?$/i,
  usage: 'run <job> <arguments>',
  isAllowed: mayRun,
  run: async (chat, { job, input = '' }) => {
    const { ctx, project, markup } = chat
    const variables = [
      { key: 'CHAT_INPUT', value: input.slice(0, MAX_INPUT), raw: true },
      { key: 'CHAT_CHANNEL', value: chat.channel, raw: true },
      { key: 'CHAT_USER_ID', value: chat.chat_user_id, raw: true },
    ]
    try {
      const ref = project.default_branch ?? ''
      const pipeline = await createPipeline(ctx, project, { source: 'chat', ref, only_job: job!, variables })
      const url = `${ctx.config.url}/${fullPath(project)}/-/pipelines/${pipeline.id}`
      return publicReply(`Your job was started in ${markup.link(`pipeline #${pipeline.id}`, url)}.`)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return privateReply(
        `The job ${markup.plain(job!)} could not be started: ${markup.plain(error.message)}`,
      )
    }
  },
}

const workCommands: readonly Command[] = [deploy, run]

/** The parameters that a chat sends. */
export interface ChatMessage {
  readonly token?: string | undefined
  readonly team_id?: string | undefined
  readonly team_domain?: string | undefined
  readonly channel_name?: string | undefined
  readonly user_id?: string | undefined
  readonly user_name?: string | undefined
  readonly command?: string | undefined
  readonly text?: string | undefined
}

const COMMANDS = [...issueCommands, ...workCommands]
const NOT_ALLOWED = 'You may not do that here.'

/**
 * Runs a command in the chat of a project, as the connected user. Throws `404 Integration Not Found` unless the token
 * is that of the project's integration.
 */
export async function trigger(
  ctx: Ctx,
  reference: string,
  slug: string,
  message: ChatMessage,
): Promise<ChatAnswer> {
  const project = findProject(ctx, reference)
  const row = project && find(ctx.db, project.id, slug)
  if (!project || !row || !row.active || !isToken(ctx, row, message.token))
    throw wrongCredential(ctx, message.token ?? '', notFound('Integration'))
  const { team_id = '', user_id = '' } = message
  const chatName = chatNames.find(ctx.db, row.id, team_id, user_id)
  const userCtx = chatName && onBehalfOf(ctx, chatName.user_id)
  if (!userCtx) return connectionPrompt(ctx, row, message)
  chatNames.recordUse(ctx.bookkeeping, chatName.id, ctx.now)
  const chat: CommandContext = {
    ctx: userCtx,
    project,
    markup: markupOf(slug),
    trigger: message.command ?? '',
    channel: message.channel_name ?? '',
    chat_user_id: user_id,
  }
  return executeCommand(chat, (message.text ?? '').trim())
}

/** Runs a command of the global integration. Its text starts with the path of the project. */
export async function triggerAnywhere(ctx: Ctx, slug: string, message: ChatMessage): Promise<ChatAnswer> {
  const [path = '', ...words] = (message.text ?? '').trim().split(/(?<=^\S+)\s+/)
  return trigger(ctx, path, slug, { ...message, text: words.join(' ') })
}

function isToken(ctx: Ctx, row: IntegrationRow, token: string | undefined): boolean {
  const storedToken = secretsOf(ctx, row)['token']
  // Compares digests, so that the duration of the comparison reveals nothing.
  return storedToken !== undefined && token !== undefined && tokenDigest(storedToken) === tokenDigest(token)
}

function connectionPrompt(ctx: Ctx, row: IntegrationRow, message: ChatMessage): ChatAnswer {
  const { team_id = '', team_domain = '', user_id: chat_id = '', user_name: chat_name = '' } = message
  if (team_id === '' || chat_id === '') return privateReply('The chat does not say who you are.')
  const person = { integration_id: row.id, team_id, team_domain, chat_id, chat_name }
  const link = markupOf(row.slug).link('connect your account', connectUrl(ctx, person))
  return privateReply(`Hello! Before anything can be done for you, please ${link}.`)
}

async function executeCommand(chat: CommandContext, text: string): Promise<ChatAnswer> {
  if (!canRead(chat.ctx, scope, chat.project)) return privateReply(NOT_ALLOWED)
  for (const command of COMMANDS) {
    const words = command.pattern.exec(text)?.groups
    if (!words) continue
    if (!command.isAllowed(chat)) return privateReply(NOT_ALLOWED)
    return withErrorReplies(chat.ctx, () => command.run(chat, { ...words }))
  }
  return help(chat, text)
}

/** Turns errors into private replies, because chats show nothing for an HTTP error. */
async function withErrorReplies(ctx: Ctx, work: () => ChatAnswer | Promise<ChatAnswer>): Promise<ChatAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    ctx.log.debug({ err: error }, 'a command of a chat was refused')
    return privateReply(
      error.kind === 'not_found' ? 'Nothing was found.' : `That is not possible: ${reasonOf(error)}`,
    )
  }
}

function reasonOf({ detail, message }: Failure): string {
  if (typeof detail !== 'object') return message
  return Array.isArray(detail)
    ? detail.join(', ')
    : Object.entries(detail)
        .map(([name, texts]) => `${name} ${[texts].flat().join(', ')}`)
        .join(', ')
}

function help(chat: CommandContext, text: string): ChatAnswer {
  const usages = COMMANDS.filter((command) => command.isAllowed(chat)).map(
    (command) => `• ${chat.trigger} ${command.usage}`,
  )
  const heading =
    text === '' || /^help$/i.test(text) ? 'Available commands:' : 'Unknown command. Available commands:'
  const lines = [heading, ...usages, `• ${chat.trigger} help`].map((line, index) =>
    index === 0 ? line : chat.markup.plain(line),
  )
  return privateReply(lines.join('\n'))
}
