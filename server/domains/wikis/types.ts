import type { Selectable } from 'kysely'

import type { WikiPagesTable, WikisTable } from '../../db/schema.gen.ts'
import type { Group } from '../groups/index.ts'
import { fullPath, type Project } from '../projects/index.ts'

/** A wiki as stored. Its pages are in its repository. */
export type WikiRow = Selectable<WikisTable>

/** The row of a page, which survives renames. */
export type WikiPageRow = Selectable<WikiPagesTable>

/** The owner of a wiki: exactly one of the two is set. */
export interface WikiOwner {
  readonly project?: Project | undefined
  readonly group?: Group | undefined
}

/** Full path of the owner. */
export function ownerPath({ project, group }: WikiOwner): string {
  return project ? fullPath(project) : group!.full_path
}

/** Path of the wiki's pages, without a leading slash. */
export function wikiAddress(owner: WikiOwner): string {
  return `${owner.group ? 'groups/' : ''}${ownerPath(owner)}/-/wikis`
}
