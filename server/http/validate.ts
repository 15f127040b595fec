import { fail } from '../lib/fail.ts'
import { PARAMETER_ALIASES } from '../lib/aliases.ts'
import type { Endpoint, Shape, ParameterRule } from './endpoint.ts'
import type { Nested } from './request/nesting.ts'
import { pagingParams } from './paging.ts'
import { readerOf, sentences } from './param.ts'

/** Checks the parameters of requests to one endpoint. */
export interface Validator {
  /** All declared parameters, including those for paging. */
  readonly shape: Shape
  /**
   * Checks and converts parameters, and leaves out undeclared ones. Throws one 400 with all errors, in the contract's
   * sentences.
   */
  check(nested: Nested): Record<string, unknown>
}

const ALIASES: ReadonlyMap<string, string> = new Map(Object.entries(PARAMETER_ALIASES))

/** Renames parameters by the table of aliases, because clients may send the vendor's name of a parameter. */
function withNeutralNames(nested: Nested): Nested {
  for (const name of Object.keys(nested)) {
    const target = ALIASES.get(name)
    if (target !== undefined && !(target in nested)) nested[target] = nested[name]
  }
  return nested
}

function ruleProblem(rule: ParameterRule, input: Readonly<Record<string, unknown>>): string | undefined {
  const present = rule.names.filter((name) => input[name] !== undefined)
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
    case 'exclusive': {
      // Some libraries send unused parameters as empty strings.
      const filled = present.filter((name) => input[name] !== '')
      return filled.length > 1 ? `${filled.join(', ')} are mutually exclusive` : undefined
    }
    case 'all_or_none':
      return present.length > 0 && present.length < rule.names.length
        ? `${names} provide all or none of parameters`
        : undefined
  }
}

/** Creates the validator of an endpoint. */
export function validatorOf(endpoint: Endpoint): Validator {
  const shape: Shape = {
    ...endpoint.params,
    ...(endpoint.returns.list ? pagingParams(endpoint.returns.list) : {}),
  }
  const read = readerOf(shape)
  return {
    shape,
    check(nested) {
      const { raw, values, issues } = read(withNeutralNames(nested))
      const problems = issues.length === 0 ? [] : sentences({ issues })
      for (const rule of endpoint.parameterRules) {
        const problem = ruleProblem(rule, raw)
        if (problem) problems.push(problem)
      }
      if (problems.length > 0) throw fail('parameter', [...new Set(problems)].join(', '))
      return values
    },
  }
}
