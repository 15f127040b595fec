const REACTIONS = new Set(['activity.recorded', 'todos.changed'])

/**
 * Whether an event tells of a subscriber to another one. Reactions are jobs, so nobody knows whether theirs come while a test
 * listens to what a change itself tells.
 */
export function isReaction(name: string): boolean {
  return REACTIONS.has(name)
}
