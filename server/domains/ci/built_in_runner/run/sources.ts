import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { gitTrust, type OwnCertificate } from '../../../../lib/net/own-certificate.ts'
import { quoted } from './shell.ts'
import type { JobVariables } from './variables.ts'
import type { InstanceClient } from '../client.ts'
import type { JobPayload } from '../payload.ts'
import type { Trace } from './trace.ts'
import type { Workspace } from './workspace.ts'

/** The state of a run that its stages share. */
export interface RunContext {
  readonly client: InstanceClient
  readonly certificate: OwnCertificate | undefined
  readonly payload: JobPayload
  readonly workspace: Workspace
  readonly variables: JobVariables
  readonly trace: Trace
  readonly shell: string
  /** The folder of the project's caches. */
  readonly caches: string
  /** The environment of the job's programs. */
  readonly env: Record<string, string>
  /** Aborted when the job must stop. */
  readonly signal: AbortSignal
}

/** A failure of the runner or the instance, not of the job's commands. The message is written to the job's log. */
export class RunProblem extends Error {
  readonly reason: string

  constructor(message: string, reason = 'runner_system_failure') {
    super(message)
    this.name = 'RunProblem'
    this.reason = reason
  }
}

const printGreen = (text: string): string => `printf '%s\\n' ${quoted(`\x1b[32;1m${text}\x1b[0;m`)}`

/**
 * The commands that fetch the code for a job (spec ci 1.13). With `GIT_STRATEGY: none` they only print a message. The
 * token of the job is in the git settings of its temporary home, not in the address of the repository.
 */
export async function sourceCommands(run: RunContext): Promise<string[]> {
  const { certificate, variables, workspace } = run
  const git = run.payload.git_info
  await writeFile(join(workspace.home, '.gitconfig'), gitSettings(git.repo_url, certificate), { mode: 0o600 })
  const strategy = variables.get('GIT_STRATEGY')
  if (strategy === 'none' || strategy === 'empty') return [printGreen('Skipping Git repository setup')]
  const address = new URL(git.repo_url)
  address.username = ''
  address.password = ''
  const depth = git.depth > 0 ? ` --depth ${git.depth}` : ''
  const refspecs = git.refspecs.map(quoted).join(' ')
  const depthText = git.depth > 0 ? ` with git depth set to ${git.depth}` : ''
  const skipsCheckout = variables.get('GIT_CHECKOUT') === 'false'
  return [
    printGreen(`Fetching changes${depthText}...`),
    'git init -q .',
    `git remote add origin ${quoted(address.href)}`,
    `git fetch origin ${refspecs}${depth} --no-recurse-submodules --prune --quiet`,
    printGreen('Created fresh repository.'),
    ...(skipsCheckout
      ? [printGreen('Skipping Git checkout')]
      : [
          printGreen(`Checking out ${git.sha.slice(0, 8)} as detached HEAD (ref is ${git.ref})...`),
          `git checkout -f -q ${quoted(git.sha)}`,
          ...submoduleCommands(variables),
        ]),
  ]
}

function submoduleCommands(variables: JobVariables): string[] {
  const strategy = variables.get('GIT_SUBMODULE_STRATEGY')
  if (strategy !== 'normal' && strategy !== 'recursive')
    return ['', printGreen('Skipping Git submodules setup')]
  const recursive = strategy === 'recursive' ? ' --recursive' : ''
  return [
    printGreen(`Updating/initializing submodules${recursive ? ' recursively' : ''}...`),
    'git submodule init',
    `git submodule sync${recursive}`,
    `git submodule update --init${recursive}`,
  ]
}

function gitSettings(repoUrl: string, certificate: OwnCertificate | undefined): string {
  const url = new URL(repoUrl)
  const host = `${url.protocol}//${url.host}/`
  const withCredentials = `${url.protocol}//${url.username}:${url.password}@${url.host}/`
  return [
    `[url "${withCredentials}"]\n\tinsteadOf = ${host}`,
    '[init]\n\tdefaultBranch = main',
    '[advice]\n\tdetachedHead = false',
    '[credential]\n\thelper =',
    '[gc]\n\tauto = 0',
    ...gitTrust(certificate).map(([key, file]) => sectionOf(key, file)),
    '',
  ].join('\n')
}

/** A git setting such as `http.https://127.0.0.1:7080/.sslCAInfo`, in the format of a configuration file. */
function sectionOf(key: string, file: string): string {
  const [, url, name] = /^http\.(.*)\.(\w+)$/.exec(key)!
  return `[http "${url}"]\n\t${name} = ${JSON.stringify(file)}`
}
