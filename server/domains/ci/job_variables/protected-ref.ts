import type { Database } from '../../../db/database.ts'
import { protecting, protectionsOf, tagProtectionsOf } from '../../repository/index.ts'

/** Whether a branch or tag is protected: only there protected variables and runners serve. */
export function isProtectedRef(
  db: Database,
  projectId: number,
  ref: { readonly kind: 'branch' | 'tag'; readonly name: string },
): boolean {
  const { kind, name } = ref
  return kind === 'tag'
    ? protecting(tagProtectionsOf(db, projectId), name).length > 0
    : protecting(protectionsOf(db, projectId), name).length > 0
}
