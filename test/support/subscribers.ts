const OF_SUBSCRIBERS = new Set(['activity.recorded', 'repository.statistics_updated', 'todos.changed'])

/**
 * Whether a subscriber publishes the event. Subscribers run as jobs, so nobody knows whether theirs come while a test
 * listens to what a change itself publishes.
 */
export function isOfSubscriber(name: string): boolean {
  return OF_SUBSCRIBERS.has(name)
}
