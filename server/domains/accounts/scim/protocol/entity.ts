import { z } from 'zod'

import { entity, entitySchemas, time, type Entity } from '../../../../http/entity.ts'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** A user in SCIM format, with all attributes or with those that `attributes` names. */
export interface ScimUserView {
  readonly extern_uid: string
  readonly active: boolean
  readonly username: string
  readonly name: { readonly formatted: string; readonly givenName: string; readonly familyName: string }
  readonly email: string
  readonly created_at: string
  readonly updated_at: string
  readonly location: string
  /** Returns whether an attribute is in the response. By default all are. */
  readonly shows?: (attribute: string) => boolean
}

const fields = {
  schemas: z.array(z.string()),
  id: z.string(),
  externalId: z.string().optional(),
  active: z.boolean().optional(),
  userName: z.string().optional(),
  displayName: z.string().optional(),
  name: z
    .strictObject({
      formatted: z.string().optional(),
      familyName: z.string().optional(),
      givenName: z.string().optional(),
    })
    .optional(),
  emails: z
    .array(
      z.strictObject({
        type: z.literal('work').optional(),
        value: z.string().optional(),
        primary: z.boolean().optional(),
      }),
    )
    .optional(),
  meta: z
    .strictObject({
      resourceType: z.literal('User').optional(),
      created: time().optional(),
      lastModified: time().optional(),
      location: z.string().optional(),
    })
    .optional(),
}

type UserDocument = z.output<z.ZodObject<typeof fields>>

function userDocument(row: ScimUserView): UserDocument {
  const attributes = {
    externalId: row.extern_uid,
    active: row.active,
    userName: row.username,
    displayName: row.name.formatted,
    name: {
      formatted: row.name.formatted,
      familyName: row.name.familyName,
      givenName: row.name.givenName,
    },
    emails: [{ type: 'work' as const, value: row.email, primary: true }],
    meta: {
      resourceType: 'User' as const,
      created: row.created_at,
      lastModified: row.updated_at,
      location: row.location,
    },
  }
  const { shows } = row
  const selected = shows
    ? Object.fromEntries(
        Object.entries(attributes).flatMap(([name, value]) => selectedAttribute(name, value, shows)),
      )
    : attributes
  return { schemas: [USER_SCHEMA], id: row.extern_uid, ...selected }
}

/** Returns an attribute with its requested sub-attributes; an empty list if none is requested. */
function selectedAttribute(
  name: string,
  value: unknown,
  shows: (attribute: string) => boolean,
): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return shows(name) ? [[name, value]] : []
  const pick = (whole: object) =>
    Object.fromEntries(Object.entries(whole).filter(([subAttribute]) => shows(`${name}.${subAttribute}`)))
  const selection = Array.isArray(value) ? value.map(pick) : pick(value)
  const isEmpty = Object.keys(Array.isArray(selection) ? (selection[0] ?? {}) : selection).length === 0
  return isEmpty ? [] : [[name, selection]]
}

export const ScimUser = entity('ScimUser', fields, (row: ScimUserView) => userDocument(row))

/** A list of resources (RFC 7644). */
export interface ScimListView<Row> {
  readonly rows: readonly Row[]
  readonly total: number
  /** The 1-based index of the first row. */
  readonly start: number
}

function listOf<Row>(name: string, item: Entity<Row>) {
  return entity(
    name,
    {
      schemas: z.array(z.string()),
      totalResults: z.int(),
      itemsPerPage: z.int(),
      startIndex: z.int(),
      Resources: z.array(item.schema),
    },
    ({ rows, total, start }: ScimListView<Row>, at) => ({
      schemas: [LIST_SCHEMA] as string[],
      totalResults: total,
      itemsPerPage: rows.length,
      startIndex: start,
      Resources: rows.map((row) => item.present(row, at)),
    }),
  )
}

export const ScimUserList = listOf('ScimUserList', ScimUser as Entity<ScimUserView>)

const documentSchema = z.record(z.string(), z.unknown())
entitySchemas.add(documentSchema, { id: 'ScimDocument' })

/** A document that describes the service (RFC 7643). */
export const ScimDocument: Entity<Readonly<Record<string, unknown>>> = {
  name: 'ScimDocument',
  schema: documentSchema,
  present: (row) => row,
}

export const ScimDocumentList = listOf('ScimDocumentList', ScimDocument)
