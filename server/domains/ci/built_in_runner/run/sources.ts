import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { gitTrust, type OwnCertificate } from '../../../../lib/net/own-certificate.ts'
import type { RunContext } from './context.ts'
import { quoted } from './shell.ts'
import type { JobVariables } from './variables.ts'

const green = (text: string): string => `printf '%s\\n' ${quoted(`\x1b[32;1m${text}\x1b[0;m`)}`

/**
 * The commands that bring the code of a job (spec ci 1.13), none where it wants none. The token of the job is in the
 * settings of git in the throw-away home, and not in the address of the repository.
 */
export async function sourceCommands(run: RunContext): Promise<string[]> {
  const { certificate, variables, workspace } = run
  const git = run.payload.git_info
  await writeFile(join(workspace.home, '.gitconfig'), settings(git.repo_url, certificate), { mode: 0o600 })
  const strategy = variables.get('GIT_STRATEGY')
  if (strategy === 'none' || strategy === 'empty') return [green('Skipping Git repository setup')]
  const address = new URL(git.repo_url)
  address.username = ''
  address.password = ''
  const depth = git.depth > 0 ? ` --depth ${git.depth}` : ''
  const refspecs = git.refspecs.map(quoted).join(' ')
  const how = git.depth > 0 ? ` with git depth set to ${git.depth}` : ''
  const isSkipped = variables.get('GIT_CHECKOUT') === 'false'
  return [
    green(`Fetching changes${how}...`),
    'git init -q .',
    `git remote add origin ${quoted(address.href)}`,
    `git fetch origin ${refspecs}${depth} --no-recurse-submodules --prune --quiet`,
    green('Created fresh repository.'),
    ...(isSkipped
      ? [green('Skipping Git checkout')]
      : [
          green(`Checking out ${git.sha.slice(0, 8)} as detached HEAD (ref is ${git.ref})...`),
          `git checkout -f -q ${quoted(git.sha)}`,
          ...submodules(variables),
        ]),
  ]
}

function submodules(variables: JobVariables): string[] {
  const strategy = variables.get('GIT_SUBMODULE_STRATEGY')
  if (strategy !== 'normal' && strategy !== 'recursive') return ['', green('Skipping Git submodules setup')]
  const recursive = strategy === 'recursive' ? ' --recursive' : ''
  return [
    green(`Updating/initializing submodules${recursive ? ' recursively' : ''}...`),
    'git submodule init',
    `git submodule sync${recursive}`,
    `git submodule update --init${recursive}`,
  ]
}

function settings(repoUrl: string, certificate: OwnCertificate | undefined): string {
  const known = new URL(repoUrl)
  const host = `${known.protocol}//${known.host}/`
  const signedIn = `${known.protocol}//${known.username}:${known.password}@${known.host}/`
  return [
    `[url "${signedIn}"]\n\tinsteadOf = ${host}`,
    '[init]\n\tdefaultBranch = main',
    '[advice]\n\tdetachedHead = false',
    '[credential]\n\thelper =',
    '[gc]\n\tauto = 0',
    ...gitTrust(certificate).map(([key, file]) => sectionOf(key, file)),
    '',
  ].join('\n')
}

/** `http.https://127.0.0.1:7080/.sslCAInfo` and a path, as a file of git has them. */
function sectionOf(key: string, file: string): string {
  const [, url, name] = /^http\.(.*)\.(\w+)$/.exec(key)!
  return `[http "${url}"]\n\t${name} = ${JSON.stringify(file)}`
}
