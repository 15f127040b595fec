import { childrenOf, iidOf, oneOf, timeOf } from '../checked.ts'
import type { Fields, Source, Target } from '../relation.ts'
import { takeEach } from './part.ts'

interface LinkToWrite extends Fields {
  readonly is_source: number
}

const LINKS = `
  SELECT o.iid, k.link_type, 1 AS is_source, k.created_at, k.updated_at FROM issue_links k
    JOIN issues o ON o.id = k.target_id WHERE k.source_id = ? AND o.project_id = ?
  UNION ALL SELECT o.iid, k.link_type, 0, k.created_at, k.updated_at FROM issue_links k
    JOIN issues o ON o.id = k.source_id WHERE k.target_id = ? AND o.project_id = ?
  ORDER BY 1, 2`

/** What an issue has to do with others of the project, from both ends: whichever is read later makes the link. */
export function linkRecords(from: Source, issue: { id: number; project_id: number }): Fields[] {
  const rows = from.db.many<LinkToWrite>(LINKS, issue.id, issue.project_id, issue.id, issue.project_id)
  return rows.map((row) => ({ ...row, is_source: row.is_source === 1 }))
}

/** Links an issue with those that were taken over before it. */
export function takeLinks(record: Fields, into: Target, id: number): void {
  takeEach(into, 'issue_links', childrenOf(record, 'issue_links'), (link) => {
    const other = into.recall('issue', iidOf(link))
    if (other === undefined || other === id) return
    const created_at = timeOf(link, 'created_at') ?? into.now
    const isSource = link['is_source'] === true
    into.link('issue_links', {
      source_id: isSource ? id : other,
      target_id: isSource ? other : id,
      link_type: oneOf(link, 'link_type', ['relates_to', 'blocks'], 'relates_to'),
      created_at,
      updated_at: timeOf(link, 'updated_at') ?? created_at,
    })
  })
}

/** Which issue of the project this one repeats, and which repeat it. */
export function duplicatesOf(from: Source, { id, project_id }: { id: number; project_id: number }): Fields {
  const original = from.db.one<{ iid: number }>(
    'SELECT o.iid FROM issues i JOIN issues o ON o.id = i.duplicated_to_id WHERE i.id = ? AND o.project_id = ?',
    id,
    project_id,
  )
  const copies = from.db.many<{ iid: number }>(
    'SELECT iid FROM issues WHERE duplicated_to_id = ? AND project_id = ? ORDER BY iid',
    id,
    project_id,
  )
  return {
    ...(original ? { duplicated_to_iid: original.iid } : {}),
    ...(copies.length > 0 ? { duplicate_iids: copies.map(({ iid }) => iid) } : {}),
  }
}

/** Says of an issue, and of those that were taken over before it, what they repeat. */
export function takeDuplicates(record: Fields, into: Target, id: number): void {
  const original = record['duplicated_to_iid']
  const known = typeof original === 'number' ? into.recall('issue', original) : undefined
  if (known !== undefined && known !== id) into.update('issues', id, { duplicated_to_id: known })
  const copies = record['duplicate_iids']
  for (const iid of Array.isArray(copies) ? copies.slice(0, 1000) : []) {
    const copy = typeof iid === 'number' ? into.recall('issue', iid) : undefined
    if (copy !== undefined && copy !== id) into.update('issues', copy, { duplicated_to_id: id })
  }
}
