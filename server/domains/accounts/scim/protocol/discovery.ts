import type { ScimScope } from '../service-scope.ts'
import { type ScimListView, USER_SCHEMA } from './entity.ts'

type Document = Readonly<Record<string, unknown>>

const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0'

/** Returns the supported features (RFC 7643 5). */
export function serviceProviderConfig(scope: ScimScope): Document {
  return {
    schemas: [`${SCHEMAS}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: 100 },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'OAuth Bearer Token',
        description: 'The SCIM token of the group or of the instance',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${scope.address}/ServiceProviderConfig` },
  }
}

/** Returns the resource types. There is only one: users. */
export function resourceTypes(scope: ScimScope): Document[] {
  return [
    {
      schemas: [`${SCHEMAS}:ResourceType`],
      id: 'User',
      name: 'User',
      endpoint: '/Users',
      description: 'A user that the identity provider manages',
      schema: USER_SCHEMA,
      schemaExtensions: [],
      meta: { resourceType: 'ResourceType', location: `${scope.address}/ResourceTypes/User` },
    },
  ]
}

type Attribute = Readonly<Record<string, unknown>>

function attribute(name: string, description: string, options: Attribute = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...options,
  }
}

const USER_ATTRIBUTES: readonly Attribute[] = [
  // In the standard this attribute is optional. This server requires it.
  attribute('externalId', 'External UID of the user', { required: true }),
  attribute('userName', 'User name. The instance makes it unique', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('displayName', 'The name of the user'),
  attribute('name', 'The name of the user', {
    type: 'complex',
    required: true,
    subAttributes: [
      attribute('formatted', 'The whole name', { required: true }),
      attribute('familyName', 'The name after its first word'),
      attribute('givenName', 'The first word of the name'),
    ],
  }),
  attribute('emails', 'The email address of the user', {
    type: 'complex',
    multiValued: true,
    required: true,
    subAttributes: [
      attribute('value', 'The address', { required: true, uniqueness: 'server' }),
      attribute('type', 'Always `work`', { canonicalValues: ['work'] }),
      attribute('primary', 'Always true', { type: 'boolean' }),
    ],
  }),
  attribute('active', 'Whether the user is active', { type: 'boolean' }),
]

/** Returns the supported part of the schema of users (RFC 7643 7). */
export function schemas(scope: ScimScope): Document[] {
  return [
    {
      schemas: [`${SCHEMAS}:Schema`],
      id: USER_SCHEMA,
      name: 'User',
      description: 'A user that the identity provider manages',
      attributes: USER_ATTRIBUTES,
      meta: { resourceType: 'Schema', location: `${scope.address}/Schemas/${USER_SCHEMA}` },
    },
  ]
}

/** Returns documents as a list on a single page. */
export function singlePage(documents: readonly Document[]): ScimListView<Document> {
  return { rows: documents, total: documents.length, start: 1 }
}
