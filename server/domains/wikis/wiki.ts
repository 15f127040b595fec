import type { Selectable } from 'kysely'

import type { WikiPagesTable, WikisTable } from '../../db/schema.gen.ts'
import { fullPath, type Project } from '../projects/index.ts'
import type { Group } from '../groups/index.ts'

/** The wiki of a project or a group as stored; its pages are in its repository. */
export type WikiRow = Selectable<WikisTable>

/** What outlives the renaming of a page. */
export type WikiPageRow = Selectable<WikiPagesTable>

/** Whose wiki it is: exactly one of the two. */
export interface WikiOwner {
  readonly project?: Project | undefined
  readonly group?: Group | undefined
}

/** Where the wiki of a project lies: beside the code, in the same storage. `foo.git` has `foo.wiki.git`. */
export function wikiPlaceOf(projectDiskPath: string): string {
  return projectDiskPath.replace(/\.git$/, '.wiki.git')
}

/** Where the wiki of a group lies in its storage; named by the id, so that it stays when the group moves. */
export function groupWikiPlace(groupId: number): string {
  return `@groups/${Math.floor(groupId / 1000)}/${groupId}.wiki.git`
}

/** Full path of the owner. */
export function ownerPath({ project, group }: WikiOwner): string {
  return project ? fullPath(project) : group!.full_path
}

/** Address of the wiki below the address of the instance, without a slash before it. */
export function wikiAddress(owner: WikiOwner): string {
  return `${owner.group ? 'groups/' : ''}${ownerPath(owner)}/-/wikis`
}
