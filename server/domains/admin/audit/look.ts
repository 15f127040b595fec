import type { Database } from '../../../db/database.ts'

/** What a line of the log is about. */
export interface AuditEntity {
  readonly type: 'Instance' | 'Group' | 'Project' | 'User'
  readonly id: number
  readonly path: string
}

/** What was done something with there. */
export interface AuditTarget {
  readonly type: string
  readonly id: number | null
  readonly details: string
}

/** The whole instance. */
export const INSTANCE: AuditEntity = { type: 'Instance', id: 1, path: 'instance' }

interface AuditScope {
  readonly project_id?: number | null | undefined
  readonly group_id?: number | null | undefined
}

/** Names of what events speak of, looked up in the transaction of the change. What is gone is called by what the event says. */
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

  /** The project, the group, or the instance where neither is said. */
  place({ project_id, group_id }: AuditScope): AuditEntity {
    if (project_id != null) return this.project(project_id)
    return group_id == null ? INSTANCE : this.group(group_id)
  }

  /** One text of a row, such as the name of a token; empty when it is gone. `table` and `column` are constants. */
  name(table: string, column: string, id: number): string {
    return this.#text(`SELECT ${column} AS path FROM ${table} WHERE id = ?`, id)
  }

  #text(sql: string, id: number): string {
    const found = this.#db.one<{ path: string | number | null }>(sql, id)?.path
    return found == null ? '' : String(found)
  }
}

/** An entity as a target of what was done elsewhere. */
export function asTarget({ type, id, path }: AuditEntity): AuditTarget {
  return { type, id, details: path }
}
