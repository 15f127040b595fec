import { z } from 'zod'

import { fail } from '../lib/fail.ts'
import { PARAMETER_ALIASES } from './aliases.ts'
import type { Endpoint, Shape, Together } from './endpoint.ts'
import type { Nested } from './nesting.ts'
import { pagingParams } from './paging.ts'
import { isNullable, jsonSchemaOf, sentences } from './params.ts'

/** The parameters of one endpoint, ready to check requests with. */
export interface Validator {
  /** Every parameter, paging included; undeclared ones are not in the result. */
  readonly shape: Shape
  /** Checks and coerces. Throws one 400 with every problem, in the contract's sentences. */
  check(given: Nested): Record<string, unknown>
}

/** Applies the alias table, so that a vendor's identifier is accepted wherever the neutral name is. */
function neutral(given: Nested): Nested {
  for (const name in given) {
    const target = PARAMETER_ALIASES[name]
    if (target !== undefined && !(target in given)) given[target] = given[name]
  }
  return given
}

function togetherProblem(rule: Together, given: Readonly<Record<string, unknown>>): string | undefined {
  const present = rule.names.filter((name) => given[name] !== undefined)
  const names = rule.names.join(', ')
  const list = present.join(', ')
  switch (rule.rule) {
    case 'at_least_one':
      return present.length === 0
        ? `${names} are missing, at least one parameter must be provided`
        : undefined
    case 'exactly_one':
      if (present.length === 0) return `${names} are missing, exactly one parameter must be provided`
      return present.length > 1 ? `${list} are mutually exclusive` : undefined
    case 'exclusive':
      return present.length > 1 ? `${list} are mutually exclusive` : undefined
    case 'all_or_none':
      return present.length > 0 && present.length < rule.names.length
        ? `${names} provide all or none of parameters`
        : undefined
  }
}

/** Builds the validator of an endpoint once, at start. */
export function validatorOf(one: Endpoint): Validator {
  const shape: Shape = { ...one.params, ...(one.returns.list ? pagingParams(one.returns.list) : {}) }
  const schema = z.object(shape as Record<string, z.ZodType>)
  const nullable = new Set(Object.keys(shape).filter((name) => isNullable(shape[name]!)))
  const blankMeansNothing = new Set(Object.keys(shape).filter((name) => isBlankable(shape[name]!)))
  const names = Object.keys(shape)
  return {
    shape,
    check(given) {
      const source = neutral(given)
      const picked: Record<string, unknown> = {}
      for (const name of names) {
        const value = source[name]
        if (value === undefined) continue
        const blank = value === null || (value === '' && blankMeansNothing.has(name))
        // Null clears where the parameter says so, and counts as not given elsewhere (spec core 8.7).
        if (blank) {
          if (nullable.has(name)) picked[name] = null
          continue
        }
        picked[name] = value
      }
      const result = schema.safeParse(picked)
      const problems = result.success ? [] : sentences(result.error)
      for (const rule of one.together) {
        const problem = togetherProblem(rule, picked)
        if (problem) problems.push(problem)
      }
      if (problems.length > 0 || !result.success) throw fail('parameter', [...new Set(problems)].join(', '))
      return result.data
    },
  }
}

/** Numbers, booleans, dates and choices given as an empty string are "not given"; texts and lists are empty. */
function isBlankable(type: z.ZodType): boolean {
  if (type instanceof z.ZodOptional || type instanceof z.ZodNullable || type instanceof z.ZodDefault) {
    return isBlankable(type.unwrap() as z.ZodType)
  }
  const schema = schemaType(type)
  return schema !== 'string' && schema !== 'array' && schema !== 'object'
}

function schemaType(type: z.ZodType): string {
  const schema = jsonSchemaOf(type)
  if (schema['enum'] || schema['format'] === 'date' || schema['format'] === 'date-time') return 'value'
  return String(schema['type'] ?? 'object')
}
