import { api, type Item } from '../../api/client.ts'

/** A variable; instance variables apply to all environments. */
export type Variable = Omit<Item<'GET /projects/:id/variables'>, 'environment_scope'> & {
  environment_scope?: string
}

/** What can be set of a variable. */
export type VariableInput = Omit<Variable, 'environment_scope'> & { environment_scope: string }

/** Whose pipelines variables are for. */
export type VariableOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance' }

export type VariableVerbs = {
  create: (input: VariableInput) => Promise<Variable>
  /** `before` names the variable: its key, and its environments where several have it. */
  update: (before: Variable, input: VariableInput) => Promise<Variable>
  remove: (variable: Variable) => Promise<unknown>
}

const AT = {
  project: {
    list: 'GET /projects/:id/variables',
    create: 'POST /projects/:id/variables',
    update: 'PUT /projects/:id/variables/:key',
    remove: 'DELETE /projects/:id/variables/:key',
  },
  group: {
    list: 'GET /groups/:id/variables',
    create: 'POST /groups/:id/variables',
    update: 'PUT /groups/:id/variables/:key',
    remove: 'DELETE /groups/:id/variables/:key',
  },
} as const
const OF_INSTANCE = 'GET /admin/ci/variables'

/** The list of an owner's variables. */
export const listOf = (owner: VariableOwner) =>
  owner.kind === 'instance' ? OF_INSTANCE : AT[owner.kind].list

/** What can be done with an owner's variables. */
export const verbsOf = (owner: VariableOwner): VariableVerbs =>
  owner.kind === 'instance' ? verbsOfInstance : verbsIn(AT[owner.kind], owner.id)

const verbsIn = (at: (typeof AT)['project' | 'group'], id: number): VariableVerbs => ({
  create: (input) => api(at.create, { id, ...input }),
  // The name of a variable is its address; it stays.
  update: (before, input) => api(at.update, { id, ...input, ...named(before) }),
  remove: (variable) => api(at.remove, { id, ...named(variable) }),
})

const named = ({ key, environment_scope }: Variable) => ({ key, filter: { environment_scope } })

/** The request body for a variable of the instance, which has no environment scope. */
const everywhere = ({ key, value, variable_type, raw, masked, ...more }: VariableInput) => ({
  key,
  value,
  variable_type,
  raw,
  masked,
  protected: more.protected,
  description: more.description,
})

const verbsOfInstance: VariableVerbs = {
  create: (input) => api('POST /admin/ci/variables', everywhere(input)),
  update: ({ key }, input) => api('PUT /admin/ci/variables/:key', { ...everywhere(input), key }),
  remove: ({ key }) => api('DELETE /admin/ci/variables/:key', { key }),
}
