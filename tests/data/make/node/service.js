// A service that logs ISO times and fails: rejected promises, an error with a cause, an unhandled end.
// Usage: node service.js > OUTPUT.log 2>&1
'use strict';

const log = (level, text) => console.error(`${new Date().toISOString()} [${level}] queue: ${text}`);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

class DeliveryError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'DeliveryError';
    this.code = 'E_DELIVERY';
  }
}

async function lookUp(customer) {
  await sleep(1);
  if (customer % 29 === 0) return undefined;
  return { address: { city: ['Lyon', 'Graz', 'Turku'][customer % 3] } };
}

async function deliver(number) {
  try {
    const customer = await lookUp(number);
    return customer.address.city;
  } catch (problem) {
    throw new DeliveryError(`parcel ${number} has no address`, { cause: problem });
  }
}

async function main() {
  log('info', 'worker 1 listens on queue parcels');
  for (let number = 1; number <= 200; number++) {
    try {
      const city = await deliver(number);
      log('info', `parcel ${number} goes to ${city}, weight ${(number * 37) % 900} g`);
    } catch (problem) {
      log('error', `delivery failed`);
      console.error(problem);
    }
    if (number === 120) {
      log('warn', 'retrying connection to broker (attempt 1)');
      console.trace('state of the queue');
      await sleep(1500);
    }
  }
  const broken = JSON.parse('{"parcels": [1, 2, }');
  log('info', broken);
}

main();
