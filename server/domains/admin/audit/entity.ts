import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import type { AuditRow } from './store.ts'

export const AuditEvent = entity(
  'AuditEvent',
  {
    id: z.int(),
    author_id: z.int(),
    entity_id: z.int(),
    entity_type: z.string(),
    event_name: z.string(),
    details: z.record(z.string(), z.unknown()),
    created_at: time(),
  },
  row<AuditRow>(),
  (row) => ({
    event_name: row.event_type,
    details: {
      ...row.details,
      author_name: row.author_name,
      author_class: row.author_id > 0 ? 'User' : 'System',
      target_id: row.target_id,
      target_type: row.target_type,
      target_details: row.target_details,
      ip_address: row.ip_address,
      entity_path: row.entity_path,
    },
  }),
)
