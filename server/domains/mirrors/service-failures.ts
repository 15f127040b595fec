import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../ctx.ts'
import { GitError } from '../../git/errors.ts'
import { PushRejected } from '../../git/transport/push-mirror.ts'
import { isoDate, isoTime } from '../../lib/clock.ts'
import { ForbiddenDestination } from '../../lib/outbound.ts'
import { withoutCredentials } from '../../lib/text/url.ts'
import { MAINTAINER } from '../../policy/levels.ts'
import { queueMail } from '../mail/index.ts'
import { membersFrom, projectSource } from '../members/index.ts'
import { fullPath, projectById } from '../projects/index.ts'
import { userById } from '../users/index.ts'

const MAX_REASON = 4000

/** The error of an update that exceeded its time limit. */
export const TOO_LONG = 'The mirror update took too long to complete.'

/** Messages of git and the plain sentences for them. */
const SENTENCES: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /could not read (?:Username|Password) for/,
    'The remote requires a user name and password, or refuses these.',
  ],
  [/Authentication failed for/, 'The remote refuses the user name and password.'],
  [/The requested URL returned error: 3\d\d/, 'The remote redirects to another address; use that one.'],
  [/unable to update url base from redirection/, 'The remote redirects to another address; use that one.'],
  [/Host key verification failed/, 'The remote shows another host key than before.'],
  [/Permission denied \(/, 'The remote refuses the SSH key or password.'],
  [
    /cannot run ssh: No such file|ssh: (?:command )?not found/,
    'The program ssh is not installed on this machine.',
  ],
  [/Operation too slow/, 'The remote stopped answering.'],
]

/** An update that this instance refuses because of its settings or permissions. The message is for users. */
export class UpdateRefused extends Error {}

/** Whether another attempt may succeed, which is the case for errors of the network and of the remote. */
export function isTemporary(error: unknown): boolean {
  return error instanceof GitError || error instanceof PushRejected || isDnsError(error)
}

function isDnsError(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === 'getaddrinfo'
}

/**
 * Describes the error of a failed update for users, in a sentence of this file or the words of git. Removes `secrets`,
 * credentials in URLs and local paths.
 */
export function reasonOf(error: unknown, secrets: readonly string[] = []): string {
  const lines = messageOf(error)
    .split('\n')
    .map((line) => line.trimEnd())
  return withoutSecrets(lines.join('\n'), secrets).slice(0, MAX_REASON)
}

function messageOf(error: unknown): string {
  if (error instanceof ForbiddenDestination) return 'The remote mirror URL is invalid.'
  if (error instanceof UpdateRefused) return error.message
  if (error instanceof PushRejected) return [...error.output, ...error.problems].join('\n')
  if (isDnsError(error))
    return `Could not resolve host: ${(error as { hostname?: string }).hostname ?? 'the remote'}`
  if (!(error instanceof GitError)) return 'The update failed for a reason of this instance; see its log.'
  if (error.reason === 'timeout') return TOO_LONG
  if (error.reason === 'output_limit') return 'The remote has more refs than can be read.'
  const match = SENTENCES.find(([pattern]) => pattern.test(error.stderr))
  const lines = error.stderr.split('\n').filter((line) => /^(?:fatal|error|remote|ssh):/.test(line))
  if (!match) return (lines.length > 0 ? lines : ['The remote could not be reached.']).join('\n')
  // The plain sentence replaces its line. Other lines may help.
  return [match[1], ...lines.filter((line) => !match[0].test(line))].join('\n')
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const spellings = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)])
  return spellings
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length)
    .reduce((masked, secret) => masked.replaceAll(secret, '*****'), text)
    .replace(/[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/gi, (address) => withoutCredentials(address))
    .replace(/'?(?:\/|[A-Za-z]:[\\/])[^\s'"]*(?:@hashed|ssh-)[^\s'"]*'?/g, 'the repository')
}

const MAX_RECIPIENTS = 50

/** Mails each maintainer of a project that a mirror could not be updated. */
export function notifyMaintainers(
  ctx: Ctx,
  projectId: number,
  { url, reason }: { url: string; reason: string },
): void {
  const project = projectById(ctx.db, projectId)
  if (!project || project.emails_disabled === true) return
  const path = fullPath(project)
  const query = { level: MAINTAINER, today: isoDate(ctx.now), limit: MAX_RECIPIENTS }
  for (const id of membersFrom(ctx.db, projectSource(project), query)) {
    const user = userById(ctx.db, id)
    if (!user?.email) continue
    queueMail(ctx, {
      to: [user.email],
      subject: `${path} | Remote mirror update failed`,
      text: [
        `The mirror of ${path} at ${url} could not be updated:`,
        reason,
        `Settings: ${ctx.config.url}/${path}/-/settings/mirrors`,
      ].join('\n\n'),
    })
  }
}

/** Returns a clock for long work. It returns the time of the context plus the whole seconds that have elapsed since. */
export function stopwatch({ now }: Pick<Ctx, 'now'>): () => string {
  const startedAt = performance.now()
  return () => isoTime(Date.parse(now) + Math.floor((performance.now() - startedAt) / 1000) * 1000)
}
