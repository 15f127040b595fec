import { relation, type Fields, type Row } from './relation.ts'

/** Features with a level of their own; those that are missing here are always as they are for everybody. */
const FEATURES = [
  'merge_requests',
  'issues',
  'wiki',
  'snippets',
  'builds',
  'repository',
  'pages',
  'forking',
  'analytics',
  'operations',
  'security_and_compliance',
  'container_registry',
  'package_registry',
  'environments',
  'feature_flags',
  'releases',
  'infrastructure',
  'monitor',
  'requirements',
] as const
/** These can be open to people that the project is not open to. */
const CAN_BE_PUBLIC: readonly string[] = ['pages', 'package_registry']
/** Levels as archives have them (spec administration 6.3). */
const LEVELS = { disabled: 0, private: 10, enabled: 20, public: 30 } as const

/** Who may use which feature of a project. */
export const project_feature = relation({
  name: 'project_feature',
  of: ['project'],
  single: true,
  *records({ db, owner }) {
    const row = db.one<Record<string, string>>('SELECT * FROM projects WHERE id = ?', owner.id)
    if (!row) return
    const record: Record<string, Fields[string]> = {}
    for (const feature of FEATURES)
      record[`${feature}_access_level`] = LEVELS[row[`${feature}_access_level`] as keyof typeof LEVELS]
    yield {
      ...record,
      metrics_dashboard_access_level: LEVELS.private,
      created_at: row['created_at']!,
      updated_at: row['updated_at']!,
    }
  },
  count: () => 1,
  take: (record, into) => {
    const changes: Record<string, Row[string]> = {}
    for (const feature of FEATURES) {
      const column = `${feature}_access_level`
      const level = Object.entries(LEVELS).find(([, number]) => number === record[column])?.[0]
      if (level === undefined) continue
      changes[column] = level === 'public' && !CAN_BE_PUBLIC.includes(feature) ? 'enabled' : level
    }
    into.update('projects', into.owner.id, changes)
  },
})
