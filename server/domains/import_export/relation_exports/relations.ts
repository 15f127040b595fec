import { RELATIONS } from '../relations/index.ts'
import type { Owner } from '../relations/relation.ts'

/** The relation of the owner's own attributes, as one object. */
export const SELF = 'self'
/** Relations of packed files instead of records. Deskforge has no designs, but other instances request them. */
const FILES: Readonly<Record<Owner['kind'], readonly string[]>> = {
  project: ['uploads', 'lfs_objects', 'repository', 'design'],
  group: ['uploads'],
}
/** Number of records in a batch, as in the contract. */
export const BATCH_SIZE = 1000

/** Names of the relations that can be downloaded (spec administration 6.7). */
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
