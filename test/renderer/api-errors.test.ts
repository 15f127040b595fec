import { describe, expect, it } from 'vitest'
import { messageOf, refusalOf, toApiError, translateErrors } from '../../renderer/api/errors.ts'

describe('the error of a request', () => {
  it('has the field of a sentence that begins with its name', () => {
    const error = toApiError(400, { message: 'Username has already been taken' })
    expect(error.fields).toEqual({ username: ['has already been taken'] })
  })

  it('has the sentence of a plain message', () => {
    const error = toApiError(404, { message: '404 Project Not Found' })
    expect(error).toMatchObject({ status: 404, message: '404 Project Not Found', fields: {} })
  })

  it('has one field for each invalid parameter', () => {
    const error = toApiError(400, { error: 'name is missing, order_by does not have a valid value' })
    expect(error.message).toBe('name is missing, order_by does not have a valid value')
    expect(error.fields).toEqual({ name: ['is missing'], order_by: ['does not have a valid value'] })
  })

  it('has nested parameter names', () => {
    const error = toApiError(400, { error: 'position[base_sha] is missing' })
    expect(error.fields).toEqual({ 'position[base_sha]': ['is missing'] })
  })

  it('has one sentence for a hash of fields, and keeps the fields', () => {
    const error = toApiError(400, {
      message: { path: ['has already been taken'], visibility_level: ['public is not allowed'] },
    })
    expect(error.message).toBe('Path has already been taken, Visibility level public is not allowed')
    expect(error.fields.path).toEqual(['has already been taken'])
  })

  it('treats a field of the namespace as the field of the form, once', () => {
    const error = toApiError(400, {
      message: { 'project_namespace.name': ['has already been taken'], name: ['has already been taken'] },
    })
    expect(error.fields).toEqual({ name: ['has already been taken'] })
  })

  it('has a sentence without a field for the record as a whole', () => {
    expect(toApiError(400, { message: { base: ['Nothing to change'] } }).message).toBe('Nothing to change')
  })

  it('has the fields of a hash that the sentence contains', () => {
    const error = toApiError(400, { message: 'Failed to save group {:path=>["has already been taken"]}' })
    expect(error.fields).toEqual({ path: ['has already been taken'] })
    expect(error.message).toBe('Path has already been taken')
  })

  it('joins a list of messages', () => {
    expect(toApiError(409, { message: ['First.', 'Second.'] }).message).toBe('First., Second.')
  })

  it('unwraps a nested error', () => {
    expect(toApiError(429, { message: { error: 'Try again later.' } }).message).toBe('Try again later.')
  })

  it('prefers the description of a token error to its code', () => {
    const error = toApiError(401, { error: 'invalid_token', error_description: 'Token is expired.' })
    expect(error.message).toBe('Token is expired.')
  })

  it('has plain text unchanged, but no HTML page', () => {
    expect(toApiError(429, 'Retry later\n').message).toBe('Retry later')
    expect(toApiError(502, '<html><h1>Bad Gateway</h1></html>').message).toBe(
      'The instance responded with status 502.',
    )
  })

  it('has a sentence for an empty response', () => {
    expect(toApiError(500, undefined).message).toBe('The instance responded with status 500.')
  })

  it('has a text for anything that was thrown', () => {
    expect(messageOf(new Error('Broken'))).toBe('Broken')
    expect(messageOf('text')).toBe('text')
  })

  it('keeps the original of a translated message', async () => {
    translateErrors(async (error, isSummary) => {
      error.message = isSummary ? 'Zusammenfassung' : 'Satz'
      return Promise.resolve()
    })
    const sentence = await refusalOf(409, { message: '409 Conflict' })
    expect(sentence).toMatchObject({ status: 409, message: 'Satz', original: '409 Conflict' })
    const fields = await refusalOf(400, { message: { path: ['is invalid'] } })
    expect(fields).toMatchObject({ message: 'Zusammenfassung', original: 'Path is invalid' })
  })

  it('keeps the error code', () => {
    expect(toApiError(400, { message: 'Sorry', error_code: 'conflict' }).body?.['error_code']).toBe(
      'conflict',
    )
    expect(toApiError(400, { message: 'Sorry' }).body?.['error_code']).toBeUndefined()
  })
})
