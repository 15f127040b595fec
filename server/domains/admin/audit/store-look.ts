import type { Database } from '../../../db/database.ts'

/** The entity that an audit event is about. */
export interface AuditEntity {
  readonly type: 'Instance' | 'Group' | 'Project' | 'User'
  readonly id: number
  readonly path: string
}

/** The whole instance. */
export const INSTANCE: AuditEntity = { type: 'Instance', id: 1, path: 'instance' }

interface AuditScope {
  readonly project_id?: number | null | undefined
  readonly group_id?: number | null | undefined
}

/** Finds names of records in the transaction of the change. A deleted record gets the name that the event carries. */
export class Look {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  project(id: number, path?: string): AuditEntity {
    const text = `SELECT n.full_path || '/' || p.path AS path FROM projects p
      JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ?`
    return { type: 'Project', id, path: path ?? this.#text(text, id) }
  }

  group(id: number, path?: string): AuditEntity {
    return {
      type: 'Group',
      id,
      path: path ?? this.#text('SELECT full_path AS path FROM namespaces WHERE id = ?', id),
    }
  }

  user(id: number, username?: string): AuditEntity {
    return {
      type: 'User',
      id,
      path: username ?? this.#text('SELECT username AS path FROM users WHERE id = ?', id),
    }
  }

  /** The project or group, or the instance without either. */
  scope({ project_id, group_id }: AuditScope): AuditEntity {
    if (project_id != null) return this.project(project_id)
    return group_id == null ? INSTANCE : this.group(group_id)
  }

  /** One text column of a row, such as the name of a token; empty when the row is deleted. `table` and `column` are constants. */
  name(table: string, column: string, id: number): string {
    return this.#text(`SELECT ${column} AS path FROM ${table} WHERE id = ?`, id)
  }

  #text(sql: string, id: number): string {
    const found = this.#db.one<{ path: string | number | null }>(sql, id)?.path
    return found == null ? '' : String(found)
  }
}
