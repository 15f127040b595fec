import type { Database } from '../../db/database.ts'
import type { WikiPageRow, WikiRow } from './types.ts'

export function byId(db: Database, id: number): WikiRow | undefined {
  return db.one<WikiRow>('SELECT * FROM wikis WHERE id = ?', id)
}

/** Wikis without a repository. */
export function pending(db: Database): WikiRow[] {
  return db.many<WikiRow>("SELECT * FROM wikis WHERE repository_state = 'pending'")
}

/** The wiki of a project; undefined if it does not exist. */
export function ofProject(db: Database, projectId: number): WikiRow | undefined {
  return db.one<WikiRow>('SELECT * FROM wikis WHERE project_id = ?', projectId)
}

/** The wiki of a group; undefined if it does not exist. */
export function ofGroup(db: Database, groupId: number): WikiRow | undefined {
  return db.one<WikiRow>('SELECT * FROM wikis WHERE group_id = ?', groupId)
}

/** The columns of a new wiki. */
export interface NewWiki {
  readonly project_id: number | null
  readonly group_id: number | null
  readonly repository_storage: string
  readonly disk_path: string
  readonly default_branch: string
  readonly now: string
}

/** Inserts a wiki without a repository. Keeps one that another request inserted in the meantime. */
export function insert(db: Database, wiki: NewWiki): void {
  db.exec(
    `INSERT INTO wikis (project_id, group_id, repository_storage, disk_path, default_branch, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    wiki.project_id,
    wiki.group_id,
    wiki.repository_storage,
    wiki.disk_path,
    wiki.default_branch,
    wiki.now,
    wiki.now,
  )
}

export function markReady(db: Database, id: number): void {
  db.exec("UPDATE wikis SET repository_state = 'ready' WHERE id = ?", id)
}

/** Updates the time of the last change, which never goes back. */
export function touch(db: Database, id: number, now: string): void {
  db.exec('UPDATE wikis SET updated_at = max(updated_at, ?) WHERE id = ?', now, id)
}

export function setBranch(db: Database, id: number, branch: string): void {
  db.exec('UPDATE wikis SET default_branch = ? WHERE id = ?', branch, id)
}

export function setSize(db: Database, id: number, bytes: number): void {
  db.exec('UPDATE wikis SET repository_size = ? WHERE id = ?', bytes, id)
}

export function pageBySlug(db: Database, wikiId: number, slug: string): WikiPageRow | undefined {
  return db.one<WikiPageRow>('SELECT * FROM wiki_pages WHERE wiki_id = ? AND slug = ?', wikiId, slug)
}

/** The row of a page. Inserts it on first use. */
export function pageFor(
  db: Database,
  wikiId: number,
  page: { readonly slug: string; readonly title: string },
  now: string,
): WikiPageRow {
  return db.one<WikiPageRow>(
    `INSERT INTO wiki_pages (wiki_id, slug, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (wiki_id, slug) DO UPDATE SET title = excluded.title, updated_at = excluded.updated_at RETURNING *`,
    wikiId,
    page.slug,
    page.title,
    now,
    now,
  )!
}

/** Renames a page. Deletes another row with the new slug (its page no longer exists). */
export function renamePage(
  db: Database,
  id: number,
  wikiId: number,
  page: { readonly slug: string; readonly title: string },
  now: string,
): void {
  db.exec('DELETE FROM wiki_pages WHERE wiki_id = ? AND slug = ? AND id <> ?', wikiId, page.slug, id)
  db.exec(
    'UPDATE wiki_pages SET slug = ?, title = ?, updated_at = ? WHERE id = ?',
    page.slug,
    page.title,
    now,
    id,
  )
}

export function removePage(db: Database, id: number): void {
  db.exec('DELETE FROM wiki_pages WHERE id = ?', id)
}

export function removeSlug(db: Database, wikiId: number, slug: string): void {
  db.exec('DELETE FROM wiki_pages WHERE wiki_id = ? AND slug = ?', wikiId, slug)
}

/** Records the storage of the wiki of a project. */
export function setStorage(db: Database, projectId: number, storage: string): void {
  db.exec('UPDATE wikis SET repository_storage = ? WHERE project_id = ?', storage, projectId)
}
