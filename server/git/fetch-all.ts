import { isIP } from 'node:net'
import { git, value } from './args.ts'
import { isBranchName } from './names.ts'
import { run } from './run.ts'
import type { Config } from './run.ts'
import { FETCH_CHECKS } from './transfer-config.ts'
import type { Repo } from './types.ts'

/** Another repository to take everything from. */
export type FetchSource =
  | { readonly path: string }
  | {
      /** Without user name and password; http or https. */
      readonly url: string
      /** The address to connect to, as the guard of outgoing requests resolved it. */
      readonly address: string
      /** Value of an `Authorization` header. */
      readonly authorization?: string | undefined
    }

const LIMIT_MS = 3 * 3600 * 1000

function configOf(source: FetchSource): Config {
  if ('path' in source)
    return [
      ['protocol.allow', 'never'],
      ['protocol.file.allow', 'always'],
    ]
  const { hostname, port, protocol } = new URL(source.url)
  const at = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
  const address = source.address.includes(':') ? `[${source.address}]` : source.address
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  return [
    ['protocol.allow', 'never'],
    ['protocol.http.allow', 'always'],
    ['protocol.https.allow', 'always'],
    // What the guard let pass is what is contacted: no second look-up, no redirect, no proxy.
    ...(isName ? [['http.curloptResolve', `${at}:${address}`] as const] : []),
    ['http.followRedirects', 'false'],
    ['http.proxy', ''],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '60'],
    ...(source.authorization
      ? [['http.extraHeader', `Authorization: ${source.authorization}`] as const]
      : []),
    ...FETCH_CHECKS,
  ]
}

const nameOf = (source: FetchSource): string => ('path' in source ? source.path : source.url)

/**
 * Takes all branches and tags of another repository, in place of those that are here. Objects are copied; nothing is
 * shared. May be repeated after it was cut off. The caller holds the write lock. Throws GitError.
 */
export async function fetchAll(
  repo: Repo,
  source: FetchSource,
  options: { signal?: AbortSignal } = {},
): Promise<void> {
  const args = git`fetch --quiet --no-tags --force --prune --no-write-fetch-head --update-head-ok ${value(nameOf(source))} +refs/heads/*:refs/heads/* +refs/tags/*:refs/tags/*`
  await run(repo, 'repository.fetch_all', args, {
    place: 'transfer',
    config: configOf(source),
    timeoutMs: LIMIT_MS,
    signal: options.signal,
  })
  repo.git.cache.forget(repo)
}

/** The branch that another repository shows first; null when it says none. Throws GitError. */
export async function remoteHead(repo: Repo, source: FetchSource): Promise<string | null> {
  const args = git`ls-remote --symref ${value(nameOf(source))} HEAD`
  const limits = { place: 'transfer', config: configOf(source), timeoutMs: 120_000 } as const
  const { stdout } = await run(repo, 'repository.remote_head', args, limits)
  const found = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(stdout.toString('utf8'))?.[1]
  return found !== undefined && isBranchName(found) ? found : null
}
