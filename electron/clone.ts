import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

import type { Instance } from '../server/index.ts'
import type { CloneAnswer, CloneRequest } from './bridge.ts'
import { isOwn } from './origin.ts'
import { text } from './texts.ts'

/**
 * Validates a request of the page: a repository of the instance, and a simple folder name. Returns undefined for an
 * invalid request.
 */
export function cloneRequestOf(value: unknown, origin: string): CloneRequest | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { url, name, username, token } = value as Record<string, unknown>
  const texts = [url, name, username, token]
  if (!texts.every((item): item is string => typeof item === 'string' && item.length <= 4096))
    return undefined
  const [address = '', folder = '', user = '', secret = ''] = texts
  if (!isOwn(address, origin) || new URL(address).username !== '') return undefined
  if (!/^[A-Za-z0-9_][\w.-]{0,254}$/.test(folder)) return undefined
  if (/[\0-\x1f:]/.test(user) || /[\0-\x1f]/.test(secret)) return undefined
  return { url: address, name: folder, username: user, token: secret }
}

/** Clones a repository of the instance into a new folder below `parent`. Returns the folder or the problem. */
export async function clone(
  shell: { readonly origin: string; readonly clone: Instance['clone'] },
  parent: unknown,
  input: unknown,
): Promise<CloneAnswer> {
  const request = cloneRequestOf(input, shell.origin)
  if (!request || typeof parent !== 'string' || !isAbsolute(parent) || !existsSync(parent))
    return { problem: text('clone.refused') }
  const path = join(parent, request.name)
  if (existsSync(path)) return { problem: text('clone.exists', { path }) }
  const { url, username, token } = request
  const authorization = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`
  const problem = await shell.clone({ url, path, authorization })
  return problem === undefined ? { path } : { problem }
}
