import { z } from 'zod'

import { isOid } from '../../../lib/lfs.ts'
import { linkedLfsObjects } from '../../storage/index.ts'
import { Refusal } from '../smart_http/access.ts'
import { settingsOf } from '../../settings/index.ts'
import { formatBytes } from '../checks/run-checks.ts'
import { type LfsTarget, GRANT_SECONDS, grantHeader } from './enter.ts'

/** The maximum number of objects in one request. Clients send a hundred. */
const MAX_OBJECTS = 10_000
const MIB = 1024 * 1024

/** The body of a batch request. */
export const batchForm = z.object({
  operation: z.string(),
  transfers: z.array(z.string()).max(100).nullish(),
  hash_algo: z.string().nullish(),
  ref: z.object({ name: z.string().max(1024).nullish() }).nullish(),
  objects: z.array(z.object({ oid: z.unknown().optional(), size: z.unknown().optional() })).max(MAX_OBJECTS),
})

type Batch = z.output<typeof batchForm>

interface RequestedObject {
  readonly oid: string
  readonly size: number
}

/** Returns the access that a batch request needs: a download reads code, an upload pushes. Throws Refusal. */
export function purposeOf({ operation, hash_algo }: Batch): 'read' | 'write' {
  if (hash_algo && hash_algo !== 'sha256') throw new Refusal(409, 'Only SHA-256 is supported.')
  if (operation === 'download') return 'read'
  if (operation === 'upload') return 'write'
  throw new Refusal(422, 'The operation is neither download nor upload.')
}

/** Returns the address to download or upload each object. Existing objects need no upload. */
export function answerBatch(target: LfsTarget, { objects }: Batch, purpose: 'read' | 'write'): object {
  const requested = objects.map(parseObject)
  const valid = requested.filter((object) => object !== undefined)
  const { ctx, project, type } = target
  const linked = linkedLfsObjects(
    ctx.db,
    project.id,
    type,
    valid.map(({ oid }) => oid),
  )
  if (purpose === 'write')
    checkSizeLimit(
      target,
      valid.filter(({ oid }) => !linked.has(oid)),
    )
  const actions = actionsFor(target, purpose)
  return {
    transfer: 'basic',
    hash_algo: 'sha256',
    objects: objects.map((input, index) => {
      const requestedObject = requested[index]
      if (!requestedObject) return invalidObject(input.oid, input.size)
      const size = linked.get(requestedObject.oid)
      return purpose === 'read'
        ? downloadEntry(requestedObject, size, actions)
        : uploadEntry(requestedObject, size, actions)
    }),
  }
}

function parseObject({ oid, size }: { oid?: unknown; size?: unknown }): RequestedObject | undefined {
  if (!isOid(oid) || typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined
  return { oid, size }
}

function invalidObject(oid: unknown, size: unknown): object {
  return {
    oid: typeof oid === 'string' ? oid.slice(0, 64) : '',
    size: typeof size === 'number' && Number.isFinite(size) ? size : 0,
    error: { code: 422, message: 'The digest or the size of the object is invalid.' },
  }
}

type Actions = ReturnType<typeof actionsFor>

/**
 * Creates the actions of a batch. Each contains a grant, so that the server does not have to hash a password for each
 * object, and the answer does not contain the client's credentials.
 */
function actionsFor(target: LfsTarget, purpose: 'read' | 'write') {
  const { ctx, project, protocol, url } = target
  const authorization = grantHeader(ctx, { project_id: project.id, purpose, protocol })
  const header = authorization === undefined ? {} : { Authorization: authorization }
  const shared = { expires_in: GRANT_SECONDS }
  return {
    download: ({ oid }: RequestedObject) => ({ href: `${url}/objects/${oid}`, header, ...shared }),
    upload: ({ oid, size }: RequestedObject) => ({
      href: `${url}/objects/${oid}/${size}`,
      header: { ...header, 'Content-Type': 'application/octet-stream' },
      ...shared,
    }),
    verify: () => ({ href: `${url}/verify`, header, ...shared }),
  }
}

function downloadEntry(object: RequestedObject, size: number | undefined, actions: Actions): object {
  if (size === undefined)
    return {
      ...object,
      error: {
        code: 404,
        message: 'Object does not exist on the server or you do not have permission to access it',
      },
    }
  return { oid: object.oid, size, authenticated: true, actions: { download: actions.download(object) } }
}

function uploadEntry(object: RequestedObject, size: number | undefined, actions: Actions): object {
  if (size === undefined)
    return {
      ...object,
      authenticated: true,
      actions: { upload: actions.upload(object), verify: actions.verify() },
    }
  if (size !== object.size)
    return { ...object, error: { code: 422, message: `The object already exists, with ${size} bytes.` } }
  return object
}

/** Throws 406 if new files would exceed the project's size limit (spec administration 1.3). */
function checkSizeLimit({ ctx, project }: LfsTarget, missing: readonly RequestedObject[]): void {
  const limit = (settingsOf(ctx).repository_size_limit ?? 0) * MIB
  if (limit === 0 || missing.length === 0) return
  const usedBytes = project.repository_size + project.lfs_objects_size
  const added = new Map(missing.map(({ oid, size }) => [oid, size]))
  const excess = usedBytes + [...added.values()].reduce((sum, size) => sum + size, 0) - limit
  if (excess <= 0) return
  throw new Refusal(
    406,
    `Your push has been rejected, because this repository has exceeded its size limit of ${formatBytes(limit)} by ${formatBytes(excess)}. Please contact your administrator for more information.`,
  )
}
