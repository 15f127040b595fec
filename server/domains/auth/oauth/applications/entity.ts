import { z } from 'zod'

import { entity, time } from '../../../../http/entity.ts'
import type { ApplicationSecret } from './service.ts'
import type { ApplicationRow } from './store.ts'

const fields = {
  id: z.int(),
  application_id: z.string(),
  application_name: z.string(),
  callback_url: z.string(),
  confidential: z.boolean(),
}

function applicationOf(row: ApplicationRow) {
  return {
    id: row.id,
    application_id: row.uid,
    application_name: row.name,
    callback_url: row.redirect_uri,
    confidential: row.confidential,
  }
}

/** An OAuth application of the instance (spec core 8.12). */
export const Application = entity('Application', fields, (row: ApplicationRow) => applicationOf(row))

/** The response to registering an application, the only one with its secret. */
export const ApplicationWithSecret = entity(
  'ApplicationWithSecret',
  { ...fields, secret: z.string() },
  ({ row, secret }: ApplicationSecret) => ({ ...applicationOf(row), secret }),
)

const managedFields = {
  ...fields,
  scopes: z.array(z.string()),
  trusted: z.boolean(),
  created_at: time(),
  updated_at: time(),
}

function managedApplicationOf(row: ApplicationRow) {
  return {
    ...applicationOf(row),
    scopes: row.scopes,
    trusted: row.trusted,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** An OAuth application for users who can manage it. */
export const ManagedApplication = entity('ManagedApplication', managedFields, (row: ApplicationRow) =>
  managedApplicationOf(row),
)

/** An OAuth application with its new secret. */
export const ManagedApplicationWithSecret = entity(
  'ManagedApplicationWithSecret',
  { ...managedFields, secret: z.string() },
  ({ row, secret }: ApplicationSecret) => ({ ...managedApplicationOf(row), secret }),
)
