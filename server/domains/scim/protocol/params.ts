import { param } from '../../../http/param.ts'
import { list, text } from '../../../http/params.ts'

/** Anything that JSON can say; it is read once the token was looked at. */
const anything = (schema: Record<string, unknown>) => param<unknown>(schema, (raw) => raw).optional()

const object = { type: 'object', properties: {} }
const objects = { type: 'array', items: object }

export const listParams = {
  filter: text()
    .optional()
    .describe('RFC 7644 filter on id, externalId, userName, displayName, name, emails, active or meta'),
  startIndex: text().optional().describe('Number of the first user, from 1'),
  count: text().optional().describe('How many, at most 100 (default 20)'),
  attributes: list(text()).optional().describe('Only these attributes'),
  excludedAttributes: list(text()).optional().describe('All but these attributes'),
}

export const userParams = {
  externalId: anything({ type: 'string' }).describe('What the identity provider calls the user'),
  userName: anything({ type: 'string' }).describe('Becomes the user name, in letters that one can have'),
  name: anything(object).describe('`formatted`, or `givenName` and `familyName`'),
  displayName: anything({ type: 'string' }).describe('The name, where `name` is not given'),
  emails: anything(objects).describe('Addresses; the one of type `work`, or the primary one, counts'),
  active: anything({ type: 'boolean' }).describe('Whether the user may work here'),
}

export const patchParams = {
  Operations: anything(objects).describe('`op` (add, replace, remove), `path` and `value`'),
}
