//! Posts bookings until one overflows the account, and panics with a backtrace.

struct Account {
    balance: i8,
}

impl Account {
    fn post(&mut self, amount: i8) -> i8 {
        self.balance = self.balance.checked_add(amount).expect("the account overflowed");
        self.balance
    }
}

fn post_all(account: &mut Account) {
    for number in 1..120 {
        let balance = account.post(number % 5);
        eprintln!("[INFO  ledger] booking {number} posted, balance {balance}");
    }
}

fn main() {
    let worker = std::thread::Builder::new().name("poster".into()).spawn(|| post_all(&mut Account { balance: 0 })).unwrap();
    if let Err(problem) = worker.join() {
        let text = problem.downcast_ref::<String>().cloned().unwrap_or_default();
        eprintln!("[ERROR ledger] the worker panicked: {text}");
        std::process::exit(101);
    }
}
