import { describe, expect, it } from 'vitest'
import { messageOf, refusalOf, toApiError, translateErrors } from '../../renderer/api/errors.ts'

describe('what a refused request says', () => {
  it('finds the field of a sentence that begins with its name', () => {
    const error = toApiError(400, { message: 'Username has already been taken' })
    expect(error.fields).toEqual({ username: ['has already been taken'] })
  })

  it('takes the sentence of a plain message', () => {
    const error = toApiError(404, { message: '404 Project Not Found' })
    expect(error).toMatchObject({ status: 404, message: '404 Project Not Found', fields: {} })
  })

  it('reads one field per parameter from a parameter check', () => {
    const error = toApiError(400, { error: 'name is missing, order_by does not have a valid value' })
    expect(error.message).toBe('name is missing, order_by does not have a valid value')
    expect(error.fields).toEqual({ name: ['is missing'], order_by: ['does not have a valid value'] })
  })

  it('reads nested parameter names', () => {
    const error = toApiError(400, { error: 'position[base_sha] is missing' })
    expect(error.fields).toEqual({ 'position[base_sha]': ['is missing'] })
  })

  it('turns a hash of fields into one sentence and keeps the fields', () => {
    const error = toApiError(400, {
      message: { path: ['has already been taken'], visibility_level: ['public is not allowed'] },
    })
    expect(error.message).toBe('Path has already been taken, Visibility level public is not allowed')
    expect(error.fields.path).toEqual(['has already been taken'])
  })

  it('counts a field of the namespace as the field of the form, once', () => {
    const error = toApiError(400, {
      message: { 'project_namespace.name': ['has already been taken'], name: ['has already been taken'] },
    })
    expect(error.fields).toEqual({ name: ['has already been taken'] })
  })

  it('says what concerns the whole without naming a field', () => {
    expect(toApiError(400, { message: { base: ['Nothing to change'] } }).message).toBe('Nothing to change')
  })

  it('finds the fields in a hash that is printed into the sentence', () => {
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

  it('prefers the description of a token problem to its code', () => {
    const error = toApiError(401, { error: 'invalid_token', error_description: 'Token is expired.' })
    expect(error.message).toBe('Token is expired.')
  })

  it('takes plain text as it is, but never a page', () => {
    expect(toApiError(429, 'Retry later\n').message).toBe('Retry later')
    expect(toApiError(502, '<html><h1>Bad Gateway</h1></html>').message).toBe(
      'The instance responded with status 502.',
    )
  })

  it('has a sentence for an empty answer', () => {
    expect(toApiError(500, undefined).message).toBe('The instance responded with status 500.')
  })

  it('says something for anything that was thrown', () => {
    expect(messageOf(new Error('Broken'))).toBe('Broken')
    expect(messageOf('text')).toBe('text')
  })

  it('keeps the original of the message next to its translation', async () => {
    translateErrors(async (error, isSummary) => {
      error.message = isSummary ? 'Zusammenfassung' : 'Satz'
      return Promise.resolve()
    })
    const sentence = await refusalOf(409, { message: '409 Conflict' })
    expect(sentence).toMatchObject({ status: 409, message: 'Satz', original: '409 Conflict' })
    const fields = await refusalOf(400, { message: { path: ['is invalid'] } })
    expect(fields).toMatchObject({ message: 'Zusammenfassung', original: 'Path is invalid' })
  })

  it('keeps the word for programs', () => {
    expect(toApiError(400, { message: 'Sorry', error_code: 'conflict' }).body?.['error_code']).toBe(
      'conflict',
    )
    expect(toApiError(400, { message: 'Sorry' }).body?.['error_code']).toBeUndefined()
  })
})
