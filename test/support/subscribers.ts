const OF_SUBSCRIBERS = new Set(['activity.recorded', 'repository.statistics_updated', 'todos.changed'])

/**
 * Whether a subscriber publishes the event. Subscribers run as jobs, so their events may be published while a test
 * records the events of the change itself.
 */
export function isOfSubscriber(name: string): boolean {
  return OF_SUBSCRIBERS.has(name)
}
