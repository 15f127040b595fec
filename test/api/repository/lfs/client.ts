import { createHash } from 'node:crypto'

import type { World } from '../../../support/world.ts'

/** An LFS object as clients describe it, with its content. */
export interface Large {
  oid: string
  size: number
  content: Buffer
}

/** Creates an LFS object from its content. */
export function large(content: string | Buffer): Large {
  const bytes = Buffer.from(content)
  return { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, content: bytes }
}

/** The pointer file of an LFS object. */
export function pointer({ oid, size }: Pick<Large, 'oid' | 'size'>): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`
}

export const LFS = 'application/vnd.git-lfs+json'

interface Who {
  username: string
  token: string
}

/** A client of the LFS protocol over HTTP for a project. */
export function lfsOf(world: World, path: string, who?: Who | null) {
  const base = `${world.url}/${path}.git/info/lfs`
  const own: Record<string, string> = who
    ? { authorization: `Basic ${Buffer.from(`${who.username}:${who.token}`).toString('base64')}` }
    : {}
  const ask = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
    const isBytes = body instanceof Uint8Array
    const sent = new Headers({ accept: LFS, ...(isBytes ? {} : { 'content-type': LFS }), ...own })
    for (const [name, value] of Object.entries(headers)) sent.set(name, value)
    const answer = await fetch(url.startsWith('http') ? url : `${base}/${url}`, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
    } as RequestInit)
    const bytes = Buffer.from(await answer.arrayBuffer())
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false
    return {
      status: answer.status,
      headers: answer.headers,
      bytes,
      body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
    }
  }
  const batch = (operation: string, files: readonly Pick<Large, 'oid' | 'size'>[], more: object = {}) =>
    ask('POST', 'objects/batch', {
      operation,
      transfers: ['basic'],
      objects: files.map(({ oid, size }) => ({ oid, size })),
      ...more,
    })
  return {
    ask,
    batch,
    /** Uploads an object as clients do: batch, upload, verify. */
    async push(file: Large) {
      const [object] = (await batch('upload', [file])).body.objects
      if (!object.actions) return object
      const { upload, verify } = object.actions
      const sent = await ask('PUT', upload.href, file.content, upload.header)
      if (sent.status !== 200) throw new Error(`${sent.status} ${JSON.stringify(sent.body)}`)
      await ask('POST', verify.href, { oid: file.oid, size: file.size }, verify.header)
      return object
    },
    /** Downloads an object; undefined if it is missing. */
    async pull(file: Pick<Large, 'oid' | 'size'>): Promise<Buffer | undefined> {
      const [object] = (await batch('download', [file])).body.objects
      if (!object.actions) return undefined
      const { href, header } = object.actions.download
      return (await ask('GET', href, undefined, header)).bytes
    },
  }
}
