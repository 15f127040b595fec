import { createHash } from 'node:crypto'

import type { Json } from '../../../ci_config/index.ts'
import { hashOf, textOf, textsOf } from './values.ts'

/** A cache of a job. */
export interface CacheEntry {
  readonly key: string
  readonly untracked: boolean
  readonly policy: string
  readonly paths: readonly string[]
  readonly when: string
  readonly fallback_keys: readonly string[]
}

/** Data for the keys of caches. */
export interface CacheContext {
  /** Jobs of protected refs have separate caches, which other jobs cannot write. */
  readonly isSeparated: boolean
  readonly isProtected: boolean
  /** Blob ids of a commit by path; null for missing files. */
  readonly blobs: ReadonlyMap<string, string | null>
  /** Expands the variables of the job in a text. */
  readonly expand: (text: string) => string
}

const POLICIES: ReadonlySet<string> = new Set(['pull-push', 'pull', 'push'])

/** Files with content that is part of cache keys. */
export function keyFilesOf(caches: readonly Json[]): string[] {
  return [...new Set(caches.flatMap((cache) => textsOf(hashOf(cache?.['key'])['files']) ?? []))]
}

/** `cache:` of a job, or null without one (spec ci 1.14). The runner expands variables in keys. */
export function cacheEntries(caches: readonly Json[], context: CacheContext): CacheEntry[] | null {
  const orders = caches.flatMap((cache, index) => {
    if (!cache) return []
    const suffix = suffixOf(cache, context)
    const plain = keyOf(cache['key'], context, caches.length > 1 ? index : null)
    return [
      {
        key: plain + suffix,
        untracked: cache['untracked'] === true,
        policy: policyOf(cache['policy'], context.expand),
        paths: textsOf(cache['paths']) ?? [],
        when: textOf(cache['when']) ?? 'on_success',
        fallback_keys: (textsOf(cache['fallback_keys']) ?? []).map((key) => key + suffix),
      },
    ]
  })
  return orders.length > 0 ? orders : null
}

function suffixOf(cache: NonNullable<Json>, context: CacheContext): string {
  if (!context.isSeparated) return ''
  return context.isProtected && cache['unprotect'] !== true ? '-protected' : '-non_protected'
}

/**
 * If a job has several caches, keys from files get the number of the cache as a prefix, so that caches with the same files stay
 * separate.
 */
function keyOf(key: unknown, { blobs }: CacheContext, index: number | null): string {
  const files = textsOf(hashOf(key)['files'])
  if (!files) return textOf(key) || 'default'
  const ids = [...new Set(files.flatMap((file) => blobs.get(file) ?? []))].toSorted()
  const digest = ids.length > 0 ? createHash('sha1').update(ids.join('-')).digest('hex') : 'default'
  const prefix = textOf(hashOf(key)['prefix'])
  return (index === null ? '' : `${index}_`) + (prefix ? `${prefix}-` : '') + digest
}

/** The policy may be a variable. Its value must be a policy that runners know. */
function policyOf(given: unknown, expand: CacheContext['expand']): string {
  const policy = expand(textOf(given) ?? '')
  return POLICIES.has(policy) ? policy : 'pull-push'
}
