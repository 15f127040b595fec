import { RELATIONS } from '../relations/index.ts'
import type { Owner } from '../relations/relation.ts'

/** The relation with the attributes of the owner itself, as one object. */
export const SELF = 'self'
/** Relations that contain files instead of records. Deskforge has no designs, but other instances request them. */
const FILE_RELATIONS: Readonly<Record<Owner['kind'], readonly string[]>> = {
  project: ['uploads', 'lfs_objects', 'repository', 'design'],
  group: ['uploads'],
}
/** Number of records in a batch, as in the contract. */
export const BATCH_SIZE = 1000

/** Names of the relations that can be downloaded (spec administration 6.7). */
export function relationsOf(kind: Owner['kind']): string[] {
  const records = RELATIONS.filter(({ ownerKinds, name }) => ownerKinds.includes(kind) && name !== kind).map(
    ({ name }) => name,
  )
  return [...records, ...FILE_RELATIONS[kind], SELF]
}

/** Whether a relation contains files instead of records. */
export function isFileRelation(kind: Owner['kind'], relation: string): boolean {
  return FILE_RELATIONS[kind].includes(relation)
}

/** The file name of a relation. */
export function fileNameOf(kind: Owner['kind'], relation: string): string {
  if (isFileRelation(kind, relation)) return `${relation}.tar.gz`
  return relation === SELF ? 'self.json.gz' : `${relation}.ndjson.gz`
}
