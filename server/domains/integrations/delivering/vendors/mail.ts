import { setImmediate as nextTurn } from 'node:timers/promises'

import { type Diff, readDiff } from '../../../../git/read/diff.ts'
import { serviceHeaders } from '../../../../lib/aliases.ts'
import { addressesIn, type Mail, mailObstacle, queueMail, quotedAddress } from '../../../mail/index.ts'
import { fullPath, repoOf } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { userByUsername } from '../../../users/index.ts'
import type { DeliveryResult } from '../../../webhooks/index.ts'
import { logOtherDelivery, type Delivery, projectUrl, textOf, type Vendor } from '../channel.ts'
import { messageOf } from '../messages/index.ts'
import { html as asHtml, plain, text, type Text } from '../messages/markup.ts'
import { firstLine, projectName } from '../messages/message.ts'
import { isBlank, payloadOf, type PipelinePayload, pusherOf, type PushPayload, shortRef } from '../payload.ts'
import { countOf } from './pushes.ts'

/** Limits of diffs in mails. */
const LIMITS = { max_files: 100, max_lines: 2000, max_bytes: 100_000, max_file_bytes: 50_000 }

/** Returns the diff of a push. Undefined for created and deleted branches, and if a commit is missing. */
async function diffOf({ ctx, project }: Delivery, push: PushPayload): Promise<Diff | undefined> {
  if (isBlank(push.before) || isBlank(push.after)) return undefined
  try {
    return await readDiff(repoOf(ctx, project), { from: push.before, to: push.after }, LIMITS)
  } catch (error) {
    ctx.log.warn({ err: error, project: project.id }, 'a diff for a mail could not be read')
    return undefined
  }
}

/** Mails with the commits and diffs of a push. */
export const emailsOnPush: Vendor = async (delivery) => {
  const push = payloadOf<PushPayload>(delivery)
  const change = changeOf(delivery, push)
  const diff = delivery.settings['disable_diffs'] === true ? undefined : await diffOf(delivery, push)
  const from = senderOf(delivery, push)
  return sendEach(delivery, {
    subject: subjectOf(delivery, push, change),
    text: plainBody(push, change, diff),
    html: htmlBody(push, change, diff),
    ...(push.user_name === null ? {} : { author: push.user_name }),
    ...(from === undefined ? {} : { from }),
  })
}

function subjectOf({ project }: Delivery, push: PushPayload, { name, action }: RefChange): string {
  const prefix = `[Git][${fullPath(project)}]`
  if (push.commits.length === 0 || action !== 'pushed to') return `${prefix} ${action} ${name}`
  const title = firstLine(push.commits.at(-1)!.title)
  return `${prefix}[${name}] ${countOf(push.total_commits_count)}: ${title}`
}

/** Returns the address of the user who pushed, if it belongs to the domain of the instance or its mails. */
function senderOf({ ctx, settings }: Delivery, push: PushPayload): string | undefined {
  if (settings['send_from_committer_email'] !== true) return undefined
  const email = userByUsername(ctx.db, push.user_username ?? '')?.email ?? ''
  const hosts = [new URL(ctx.config.url).hostname, hostOf(settingsOf(ctx).email_from ?? '')]
  const host = hostOf(email)
  const isAllowed = hosts.some(
    (allowed) => allowed !== '' && (host === allowed || host.endsWith(`.${allowed}`)),
  )
  return isAllowed ? quotedAddress(pusherOf(push), email) : undefined
}

const hostOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

function plainBody(push: PushPayload, change: RefChange, diff: Diff | undefined): string {
  const commits = push.commits.map(
    (commit) => `${commit.id.slice(0, 8)} by ${commit.author.name}\n${commit.message.trim()}\n`,
  )
  return [
    `${change.sentence}\n`,
    ...(commits.length > 0 ? ['Commits:\n', ...commits] : []),
    ...moreCommits(push),
    ...(diff
      ? ['Changes:\n', ...diff.files.map((file) => `=== ${nameOf(file)}\n${file.diff.trimEnd()}\n`)]
      : []),
    ...(diff?.overflow ? ['The rest is too long for a mail.\n'] : []),
    `View it: ${change.url}`,
  ].join('\n')
}

function htmlBody(push: PushPayload, change: RefChange, diff: Diff | undefined): string {
  const commits = push.commits.map((commit) => {
    const head = asHtml(text`${{ link: commit.id.slice(0, 8), url: commit.url }} by ${commit.author.name}`)
    return `<li>${head}<pre>${asHtml([commit.message.trim()])}</pre></li>`
  })
  const files = diff?.files.map(
    (file) => `<h4>${asHtml([nameOf(file)])}</h4><pre>${asHtml([file.diff.trimEnd()])}</pre>`,
  )
  return [
    `<p>${asHtml([change.sentence])}</p>`,
    commits.length > 0 ? `<h3>Commits</h3><ul>${commits.join('')}</ul>` : '',
    ...moreCommits(push).map((line) => `<p>${asHtml([line])}</p>`),
    files ? `<h3>Changes</h3>${files.join('')}` : '',
    diff?.overflow ? '<p>The rest is too long for a mail.</p>' : '',
    `<p><a href="${asHtml([change.url])}">View it</a></p>`,
  ].join('\n')
}

function moreCommits({ commits, total_commits_count }: PushPayload): string[] {
  const remaining = total_commits_count - commits.length
  return commits.length > 0 && remaining > 0 ? [`… and ${countOf(remaining)} more\n`] : []
}

function nameOf({ old_path, new_path, new_file, deleted_file, renamed_file }: Diff['files'][number]): string {
  if (new_file) return `${new_path} (new)`
  if (deleted_file) return `${old_path} (deleted)`
  return renamed_file ? `${old_path} → ${new_path}` : new_path
}

/** The description of a change of a branch or tag. */
interface RefChange {
  readonly name: string
  readonly action: 'pushed to' | 'Pushed new branch' | 'Pushed new tag' | 'Deleted branch' | 'Deleted tag'
  readonly sentence: string
  readonly url: string
}

function changeOf(delivery: Delivery, push: PushPayload): RefChange {
  const isTag = push.ref.startsWith('refs/tags/')
  const kind = isTag ? 'tag' : 'branch'
  const name = shortRef(push.ref)
  const ref = `${kind} ${name} at ${projectName(delivery)}`
  const page = projectUrl(delivery)
  const path = name.split('/').map(encodeURIComponent).join('/')
  if (isBlank(push.after))
    return { name, action: `Deleted ${kind}`, sentence: `${pusherOf(push)} deleted ${ref}`, url: page }
  if (isBlank(push.before)) {
    const url = `${page}/-/${isTag ? 'tags' : 'commits'}/${path}`
    return { name, action: `Pushed new ${kind}`, sentence: `${pusherOf(push)} pushed new ${ref}`, url }
  }
  const url = `${page}/-/compare/${push.before}...${push.after}`
  return { name, action: 'pushed to', sentence: `${pusherOf(push)} pushed to ${ref}`, url }
}

/** The maximum number of recipients. The others get no mail. */
const MAX_RECIPIENTS = 750

/** Sends a separate mail to each recipient of an integration, with one log entry for all. */
export async function sendEach(
  delivery: Delivery,
  mail: Omit<Mail, 'to' | 'headers'>,
): Promise<DeliveryResult[]> {
  const { ctx, project } = delivery
  const recipients = addressesIn(textOf(delivery, 'recipients')).slice(0, MAX_RECIPIENTS)
  if (recipients.length === 0) return []
  const headers = serviceHeaders({
    Project: projectName(delivery),
    'Project-Id': String(project.id),
    'Project-Path': fullPath(project),
  })
  for (const to of recipients) {
    queueMail(ctx, { ...mail, to: [to], headers })
    // Each mail is written in its own transaction, so that other requests run in between.
    await nextTurn()
  }
  const error = mailObstacle(ctx)
  const logEntry = {
    method: 'SMTP',
    url: `mailto:${recipients.join(',')}`,
    body: `${mail.subject}\n\n${mail.text}`,
  }
  return [logOtherDelivery(delivery, error === undefined ? logEntry : { ...logEntry, error })]
}

/** Mails about finished pipelines. */
export const pipelinesEmail: Vendor = async (delivery) => {
  const { object_attributes: pipeline } = payloadOf<PipelinePayload>(delivery)
  const message = messageOf(delivery)
  if (!message) return []
  const attachment = message.attachments[0]
  const lines: Text[] = [
    message.summary,
    ...(attachment?.fields ?? []).map((field) => text`${field.title}: ${field.value}`),
  ]
  const url = attachment?.title_link ?? ''
  const result = pipeline.status === 'failed' ? 'Failed' : 'Successful'
  return sendEach(delivery, {
    subject: `${projectName(delivery)} | ${result} pipeline for ${pipeline.ref} | ${pipeline.sha.slice(0, 8)}`,
    text: `${lines.map(plain).join('\n')}\n\nView it: ${url}\n`,
    html: lines.map((line) => `<p>${asHtml(line)}</p>`).join('\n'),
  })
}
