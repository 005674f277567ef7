fn main() { beckon_app::run(); }
