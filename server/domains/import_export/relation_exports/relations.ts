import { RELATIONS } from '../relations/index.ts'
import type { Owner } from '../relations/relation.ts'

/** Attributes of the owner itself, as one object. */
export const SELF = 'self'
/** Relations that are files and not records; packed. Designs are none here, but are asked for. */
const FILES: Readonly<Record<Owner['kind'], readonly string[]>> = {
  project: ['uploads', 'lfs_objects', 'repository', 'design'],
  group: ['uploads'],
}
/** Records in a batch, as the contract's servers have it. */
export const BATCH_SIZE = 1000

/** Names of what can be downloaded of a project or group (spec administration 6.7). */
export function relationsOf(kind: Owner['kind']): string[] {
  const records = RELATIONS.filter(({ of, name }) => of.includes(kind) && name !== kind).map(
    ({ name }) => name,
  )
  return [...records, ...FILES[kind], SELF]
}

export function isFile(kind: Owner['kind'], relation: string): boolean {
  return FILES[kind].includes(relation)
}

/** The name of a download. */
export function fileNameOf(kind: Owner['kind'], relation: string): string {
  if (isFile(kind, relation)) return `${relation}.tar.gz`
  return relation === SELF ? 'self.json.gz' : `${relation}.ndjson.gz`
}
