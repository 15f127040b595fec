import { createReadStream } from 'node:fs'

import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { isStored, lfsFile } from './objects.ts'
import { isLfsEnabled, allOf } from './store.ts'
import type { Project } from '../../projects/index.ts'

/** The maximum number of objects in one batch request, as in other clients. */
const BATCH_SIZE = 100
const TYPE = 'application/vnd.git-lfs+json'
/** The maximum size of an answer, bytes. */
const MAX_ANSWER = 4 * 1024 * 1024

const action = z.object({ href: z.string().max(8192), header: z.record(z.string(), z.string()).nullish() })
const batchAnswer = z.object({
  objects: z.array(
    z.object({
      oid: z.string(),
      actions: z.object({ upload: action.nullish(), verify: action.nullish() }).nullish(),
      error: z.object({ message: z.string().max(1000) }).nullish(),
    }),
  ),
})

/** The server to send objects to. */
export interface LfsRemote {
  /** Address of the repository, without credentials. */
  readonly url: string
  /** Value of the `Authorization` header. */
  readonly authorization: string
}

interface SendContext {
  readonly ctx: Ctx
  readonly remote: LfsRemote
  readonly signal: AbortSignal
}

/**
 * Sends the LFS objects of a project's code that another server does not have. Returns the number of sent objects.
 * Without objects it sends no request and returns 0. Throws an error with a message for users when the server refuses.
 */
export async function sendObjects(
  ctx: Ctx,
  project: Project,
  remote: LfsRemote,
  signal: AbortSignal,
): Promise<number> {
  if (project.lfs_objects_size === 0 || !isLfsEnabled(ctx, project)) return 0
  const files = allOf(ctx.db, project.id).filter(({ types }) => types.includes(0))
  let sentCount = 0
  for (let start = 0; start < files.length; start += BATCH_SIZE) {
    const sizes = new Map(files.slice(start, start + BATCH_SIZE).map(({ oid, size }) => [oid, size]))
    for (const { oid, actions, error } of await requestActions({ ctx, remote, signal }, sizes)) {
      const size = sizes.get(oid)
      if (error) throw new Error(`The other server refuses a large file: ${error.message}`)
      if (size === undefined || !actions?.upload || !(await isStored(ctx.config, { oid, size }))) continue
      await send({ ctx, remote, signal }, { oid, size }, { upload: actions.upload, verify: actions.verify })
      sentCount++
    }
  }
  return sentCount
}

async function requestActions(context: SendContext, sizes: ReadonlyMap<string, number>) {
  const objects = [...sizes].map(([oid, size]) => ({ oid, size }))
  const server = `${context.remote.url.replace(/\/+$/, '').replace(/\.git$/, '')}.git/info/lfs`
  const answer = await post(context, `${server}/objects/batch`, {
    headers: { Authorization: context.remote.authorization },
    body: { operation: 'upload', transfers: ['basic'], objects },
  })
  const parsed = batchAnswer.safeParse(JSON.parse(await textOf(answer)))
  if (!parsed.success) throw new Error('The answer of the other server is not a Git LFS answer.')
  return parsed.data.objects
}

type Action = z.output<typeof action>

async function send(
  context: SendContext,
  object: { oid: string; size: number },
  { upload, verify }: { upload: Action; verify: Action | null | undefined },
): Promise<void> {
  const { ctx, signal } = context
  const response = await ctx.outbound.fetch(upload.href, {
    method: 'PUT',
    headers: {
      'Content-Type': 'application/octet-stream',
      ...headersOf(context, upload),
      'Content-Length': String(object.size),
    },
    body: createReadStream(lfsFile(ctx.config, object.oid)),
    duplex: 'half',
    redirect: 'error',
    signal,
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`The other server refuses a large file (${response.status}).`)
  if (verify)
    await (
      await post(context, verify.href, { headers: headersOf(context, verify), body: object })
    ).body?.cancel()
}

/** The headers of an action. If it has no credentials and is on the same server, the remote's credentials are added. */
function headersOf({ remote }: SendContext, { href, header }: Action): Record<string, string> {
  const headers = Object.fromEntries(
    Object.entries(header ?? {}).filter(
      ([name]) => !/^(?:transfer-encoding|content-length|host)$/i.test(name),
    ),
  )
  const hasCredentials = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  const isSameServer = URL.canParse(href) && new URL(href).origin === new URL(remote.url).origin
  return hasCredentials || !isSameServer ? headers : { ...headers, Authorization: remote.authorization }
}

async function post(
  { ctx, signal }: SendContext,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: object },
) {
  const response = await ctx.outbound.fetch(url, {
    method: 'POST',
    headers: { Accept: TYPE, 'Content-Type': TYPE, ...headers },
    body: JSON.stringify(body),
    redirect: 'error',
    signal,
  })
  if (response.ok) return response
  await response.body?.cancel()
  throw new Error(`The other server accepts no large files (${response.status}).`)
}

async function textOf(response: Awaited<ReturnType<typeof post>>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length
    if (size > MAX_ANSWER) throw new Error('The answer of the other server is too large.')
    chunks.push(Buffer.from(chunk as Uint8Array))
  }
  return Buffer.concat(chunks).toString('utf8')
}
