import type { Selectable } from 'kysely'

import type { WikiPagesTable, WikisTable } from '../../db/schema.gen.ts'
import type { Group } from '../groups/index.ts'
import { fullPath, type Project } from '../projects/index.ts'

/** The wiki of a project or a group as stored; its pages are in its repository. */
export type WikiRow = Selectable<WikisTable>

/** What outlives the renaming of a page. */
export type WikiPageRow = Selectable<WikiPagesTable>

/** Whose wiki it is: exactly one of the two. */
export interface WikiOwner {
  readonly project?: Project | undefined
  readonly group?: Group | undefined
}

/** Full path of the owner. */
export function ownerPath({ project, group }: WikiOwner): string {
  return project ? fullPath(project) : group!.full_path
}

/** Address of the wiki below the address of the instance, without a slash before it. */
export function wikiAddress(owner: WikiOwner): string {
  return `${owner.group ? 'groups/' : ''}${ownerPath(owner)}/-/wikis`
}
